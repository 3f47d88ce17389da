import { type AnyCapability, foreignTextPlugin, type LayerContext, type Plugin, type PluginContext, type Self } from '../capability.ts'
import { subjectsPlugin } from '../capabilities/subjects/subjects-plugin.ts'
import { promptPlugin } from '../capabilities/prompt/system-prompt.ts'
import { projectPlugin } from '../capabilities/projects/project-plugin.ts'
import { memoryPlugin } from '../capabilities/memory/memory-plugin.ts'
import { customAgentPlugin } from '../capabilities/agents/agent-plugin.ts'
import { citationsPlugin } from '../citation.ts'
import { layoutOf } from '../context.ts'
import type { DocumentReader } from '../document.ts'
import type { ValueStore } from '../session.ts'
import type { Environment } from './configuration/environment.ts'
import { knownLayouts } from './configuration/schema.ts'
import { type Configuration, settingsOf } from './configuration/settled.ts'
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
  readonly capabilities: readonly AnyCapability[]
}

/**
 * The plugins that every home has, in the order their layers are declared and their tools are offered: prompt, date,
 * instructions, persona, skills, workspace, shell, web, subjects, MCP servers, those of the configuration; last what belongs to agents,
 * projects, earlier sessions and citations, and the words about all their capabilities. The layout decides on the heading and the
 * fallback of the prompt, on the date, on persona files and on how skills are shown. That text of others is data is said in every layout.
 */
export async function homePlugins(configuration: Configuration, setting: HomeSetting): Promise<readonly Plugin[]> {
  const { agent, context, plugins, subjects } = configuration
  const { home, environment, policy, store, version, connects } = setting
  const { systemPromptFile } = homeAt(home)
  const layout = layoutOf(context.layout, knownLayouts(setting.capabilities))
  const { workspace } = agent
  const values = setting.capabilities
  const places = () => {
    const all = values.flatMap((value) => value.places?.(settingsOf(configuration, value), home) ?? [])
    return {
      outOfReach: [
        ...ownersPlaces(home),
        subjects.directory,
        subjects.tastes,
        ...all.flatMap((one) => one.outOfReach ?? []),
      ],
      readOnly: [
        systemPromptFile,
        ...moduleFiles([...plugins, ...configuration.capabilities], home),
        ...all.flatMap((one) => one.readOnly ?? []),
      ],
      readable: [],
    }
  }
  const started = (value: AnyCapability) =>
    capabilityAsPlugin(value, {
      settings: settingsOf(configuration, value),
      home: { folder: home, data: homeAt(home).data, workspace },
      environment,
      version,
      layout,
      timeZone: context.timeZone,
      store,
      writes: connects,
      access: policy.current,
      settingsOf: (name: string) => configuration[name] as unknown,
      places,
    } as unknown as Self<unknown, unknown>)
  // Tools of subjects are offered before those of servers.
  const atServers = values.findIndex(({ name }) => name === 'mcp')
  return [
    promptPlugin({ file: systemPromptFile, ...layout.prompt }),
    ...values.slice(0, atServers).map(started),
    subjectsPlugin({ ...setting.subjects, time: systemClock.time, usual: subjects.default }),
    ...values.slice(atServers).map(started),
    ...(await loadPlugins(plugins, { home, workspace })),
    customAgentPlugin(),
    projectPlugin(),
    memoryPlugin(),
    citationsPlugin(),
    foreignTextPlugin(),
  ]
}

/** A capability as a plugin, as long as the runtime starts plugins. */
function capabilityAsPlugin(value: AnyCapability, host: Self<unknown, unknown>): Plugin {
  let self = host
  const contextOf = (context: PluginContext): LayerContext => ({
    readsForeign: false,
    cites: false,
    callsTools: true,
    ...context,
    system: undefined,
    choices: {},
    promptBlocks: context.skills ?? [],
  })
  const plugin: Plugin = {
    name: value.name,
    version: value.version ?? '1',
    async start() {
      self = { ...host, service: await value.start?.(host) }
    },
    ...(value.placeholders && {
      date: (context) => value.placeholders!(self, contextOf(context))['date'] ?? '',
    }),
    layers: async (context) => (await value.layers?.(self, contextOf(context))) ?? [],
    tools: () => value.tools?.(self) ?? [],
    skills: () => value.promptBlocks?.(self) ?? [],
    ready: async () => value.ready?.(self),
    reload: async () => value.reload?.(self),
    withheld: () => value.withheld?.(self) ?? [],
    accept: async (tool, digest) => (await value.accept?.(self, tool, digest)) ?? false,
    warnings: () => value.warnings?.(self) ?? [],
    stop: async () => value.stop?.(self),
  }
  return Object.assign(plugin, { status: () => value.status?.(self) ?? {} })
}
