import { join } from 'node:path'
import { foreignTextPlugin, type Plugin, readerWithin } from '../capability.ts'
import { webPlugin } from '../capabilities/web-access/web-access.ts'
import { mcpPlugin } from '../capabilities/mcp-client/mcp-client.ts'
import { instructionsPlugin } from '../capabilities/instructions/instructions.ts'
import { workspacePlugin } from '../capabilities/workspace/workspace.ts'
import { subjectsPlugin } from '../capabilities/subjects/subjects-plugin.ts'
import { skillsPlugin } from '../capabilities/skills/skills.ts'
import { skillRoots } from '../capabilities/skills/folder/skill-roots.ts'
import { shellPlugin } from '../capabilities/shell/shell.ts'
import { promptPlugin } from '../capabilities/prompt/system-prompt.ts'
import { projectPlugin } from '../capabilities/projects/project-plugin.ts'
import { personaPlugin } from '../capabilities/persona/persona.ts'
import type { McpServerConfiguration } from '../capabilities/mcp-client/server-address.ts'
import { offeredPrefix } from '../capabilities/mcp-client/tool-name.ts'
import { memoryPlugin } from '../capabilities/memory/memory-plugin.ts'
import { datePlugin } from '../capabilities/date/date.ts'
import { customAgentPlugin } from '../capabilities/agents/agent-plugin.ts'
import { capabilitiesPlugin } from '../capabilities/skills/capabilities.ts'
import { binaryFinder } from '../capabilities/skills/folder/find-binary.ts'
import { citationsPlugin } from '../citation.ts'
import { type Layout, layoutOf } from '../context.ts'
import type { DocumentReader } from '../document.ts'
import type { ValueStore } from '../session.ts'
import type { Environment } from './configuration/environment.ts'
import type { Configuration } from './configuration/settled.ts'
import { homeAt, ownersPlaces } from './home/home.ts'
import { loadPlugins } from './load-plugins.ts'
import { moduleFiles } from './load-module.ts'
import { systemClock } from './clock.ts'
import type { SubjectRoom } from '../capabilities/subjects/subject-room.ts'
import type { ToolPolicy } from './tools/tool-policy.ts'

/** What the plugins of a home are made of, besides its configuration. */
export interface HomeSetting {
  readonly home: string
  readonly environment: Environment
  /** Of Foreword. */
  readonly version: string
  readonly policy: ToolPolicy
  /** Keeps what was accepted of tools of others. */
  readonly store: ValueStore
  readonly subjects: Pick<SubjectRoom, 'subjects' | 'proposals'>
  /** Takes the text out of pages. */
  readonly readDocument: DocumentReader['read']
  /** `false`: looks only, and starts no server of others. */
  readonly connects: boolean
}

/**
 * The plugins that every home has, in the order their layers are declared and their tools are offered: prompt, date,
 * instructions, persona, skills, workspace, shell, web, subjects, MCP servers, those of the configuration; last what belongs to agents,
 * projects, earlier sessions and citations, and the words about all their capabilities. The layout decides on the heading and the
 * fallback of the prompt, on the date, on persona files and on how skills are shown. That text of others is data is said in every layout.
 */
export async function homePlugins(configuration: Configuration, setting: HomeSetting): Promise<readonly Plugin[]> {
  const { agent, context, plugins, skills, subjects, web } = configuration
  const { home, environment, policy } = setting
  const { systemPromptFile, soulFile, userProfileFile } = homeAt(home)
  const layout = layoutOf(context.layout)
  const { workspace } = agent
  return [
    promptPlugin({ file: systemPromptFile, ...layout.prompt }),
    datePlugin({ granularity: context.dateGranularity, timeZone: context.timeZone, tells: layout.tellsDate }),
    instructionsPlugin({ file: join(workspace, 'AGENTS.md'), read: readerWithin([workspace]) }),
    personaPlugin({ soulFile, userProfileFile, expected: layout.expectsPersona }),
    await skillsOf(configuration, setting, layout),
    workspacePlugin({
      folder: workspace,
      outOfReach: [...ownersPlaces(home), subjects.directory, subjects.tastes],
      ownersFiles: [
        systemPromptFile,
        soulFile,
        userProfileFile,
        ...moduleFiles([...plugins, ...configuration.capabilities], home),
      ],
      skillRoots: [skills.directory, ...skills.extraDirs],
    }),
    shellPlugin({ workspace, environment, access: policy.current }),
    webPlugin({ ...web, environment, readDocument: setting.readDocument }),
    subjectsPlugin({ ...setting.subjects, time: systemClock.time, usual: subjects.default }),
    ...mcpServers(configuration, setting),
    ...(await loadPlugins(plugins, { home, workspace })),
    customAgentPlugin(),
    projectPlugin(),
    memoryPlugin(),
    citationsPlugin(),
    capabilitiesPlugin(),
    foreignTextPlugin(),
  ]
}

async function skillsOf(
  { agent: { workspace }, skills, mcp }: Configuration,
  { home, environment }: HomeSetting,
  layout: Layout,
): Promise<Plugin> {
  const { directory, extraDirs, trustedDirs, disabled, contextMode, allowScripts } = skills
  return skillsPlugin({
    roots: await skillRoots({ home, directory, extraDirs, workspace, trustedDirs }),
    disabled,
    findBinary: binaryFinder({
      path: environment['PATH'],
      platform: process.platform,
      extensions: environment['PATHEXT'],
    }),
    mode: contextMode,
    layout,
    workspace,
    environment,
    allowScripts,
    takenPrefixes: Object.keys(mcp.servers).map(offeredPrefix),
  })
}

/** Programs run in the home unless their configuration says otherwise, and not wherever the gateway was started. */
function mcpServers(
  { mcp }: Configuration,
  { home, environment, version, store, connects }: HomeSetting,
): readonly Plugin[] {
  if (Object.keys(mcp.servers).length === 0) return []
  const keyOf = (server: string) => `mcp/accepted/${server}`
  return [
    mcpPlugin({
      servers: Object.fromEntries(
        Object.entries<McpServerConfiguration>(mcp.servers).map(([name, server]) => [
          name,
          { directory: home, ...server },
        ]),
      ),
      environment,
      version,
      connects,
      accepted: {
        read: (server) => store.value(keyOf(server)),
        write: (server, definitions) => store.putValue(keyOf(server), definitions),
      },
    }),
  ]
}
