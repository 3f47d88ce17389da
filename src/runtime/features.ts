import { agents } from '../capabilities/agents/agents.ts'
import type { AgentValue } from '../capabilities/agents/agent-record.ts'
import type { MeaningStatus } from '../capabilities/files/file-service.ts'
import { files } from '../capabilities/files/files.ts'
import type { FileService } from '../capabilities/files/file-service.ts'
import { search } from '../capabilities/files/search.ts'
import type { Memory, SessionMemory } from '../capabilities/memory/core/memory.ts'
import type { MemorySettings } from '../capabilities/memory/core/memory-settings.ts'
import { memory } from '../capabilities/memory/memory.ts'
import { projects } from '../capabilities/projects/projects.ts'
import type { ProjectValue } from '../capabilities/projects/project-record.ts'
import type { EditedPrompt } from '../capabilities/prompt/edited-prompt.ts'
import { prompt, type PromptService } from '../capabilities/prompt/prompt.ts'
import { providers } from '../capabilities/providers.ts'
import type { Proposals, Subjects } from '../capabilities/subjects/core.ts'
import type { SubjectService } from '../capabilities/subjects/subject-service.ts'
import { subjects } from '../capabilities/subjects/subjects.ts'
import { loadPlugins } from './load-plugins.ts'
import { moduleFiles } from './load-module.ts'
import { join } from 'node:path'
import { datePlugin } from '../capabilities/date/date.ts'
import { instructionsPlugin } from '../capabilities/instructions/instructions.ts'
import { mcpPlugin } from '../capabilities/mcp-client/mcp-client.ts'
import { offeredPrefix } from '../capabilities/mcp-client/tool-name.ts'
import { personaPlugin } from '../capabilities/persona/persona.ts'
import { shellPlugin } from '../capabilities/shell/shell.ts'
import { capabilitiesPlugin } from '../capabilities/skills/capabilities.ts'
import { binaryFinder } from '../capabilities/skills/folder/find-binary.ts'
import { skillRoots } from '../capabilities/skills/folder/skill-roots.ts'
import { type SkillsPlugin, skillsPlugin } from '../capabilities/skills/skills.ts'
import { webPlugin } from '../capabilities/web-access/web-access.ts'
import { workspacePlugin } from '../capabilities/workspace/workspace.ts'
import {
  type AnyCapability,
  capability,
  type CapabilityHost,
  type FileLibrary,
  fileLibrary,
  type NewSession as NewSessionOf,
  type Plugin,
  pluginAsCapability,
  pluginContext,
  type PreviewOptions as PreviewOptionsOf,
  readerWithin,
  type Records,
  type Runtime as RuntimeOf,
  type RuntimeStatus as RuntimeStatusOf,
  serviceKey,
} from '../capability.ts'
import { createDocumentReader } from '../document.ts'
import type { Configuration } from './configuration/settled.ts'
import type { HostedRuntime } from './create-runtime.ts'
import { homeAt, ownersPlaces } from './home/home.ts'
import { type OpenOptions, openRuntime as openWith } from './open-runtime.ts'

/**
 * The features as capabilities, as long as their own values are not there: each wrapper goes when the value of its folder
 * comes. Nothing but hosts and their tests may need this file.
 */
export interface Runtime extends Omit<RuntimeOf, 'newSession' | 'preview' | 'status'> {
  newSession(options?: NewSession): ReturnType<RuntimeOf['newSession']>
  preview(options: PreviewOptions): ReturnType<RuntimeOf['preview']>
  status(): Promise<RuntimeStatus>
  setAgent(session: string, agent: string | undefined): Promise<void>
  setProject(session: string, project: string | undefined): Promise<void>
  setSubject(session: string, subject: string | undefined): Promise<void>
  readonly prompt: EditedPrompt
  readonly agents: Records<AgentValue>
  readonly projects: Records<ProjectValue>
  readonly subjects: Subjects
  readonly proposals: Proposals
  summariseNotes: SubjectService['summariseNotes']
  readonly library: FileLibrary
  search(query: FileSearch): ReturnType<FileService['search']>
  memory(session: string, input?: string): Promise<SessionMemory>
  forgetMemory(session: string): Promise<void>
}

export interface NewSession extends NewSessionOf {
  readonly agent?: string
  readonly project?: string
  readonly subject?: string
}

export interface PreviewOptions extends PreviewOptionsOf {
  readonly agent?: string
  readonly project?: string
  readonly subject?: string
}

export interface RuntimeStatus extends RuntimeStatusOf {
  readonly skills?: number
  readonly meaning?: MeaningStatus
}

/** A question to the index of files: of all of them, or of those of a project. */
export interface FileSearch extends Omit<Parameters<FileService['search']>[0], 'owner'> {
  readonly project?: string
}

const keys = {
  prompt: serviceKey<PromptService>('prompt'),
  agents: serviceKey<Records<AgentValue>>('agents'),
  projects: serviceKey<Records<ProjectValue>>('projects'),
  subjects: serviceKey<SubjectService>('subjects'),
  files: serviceKey<FileService>('files'),
  memory: serviceKey<Pick<Memory, 'show' | 'forget'>>('memory'),
}

/** The services of the features, on the runtime itself, where hosts look for them until they ask for capabilities. */
export function withFeatures<Opened extends RuntimeOf>(opened: Opened): Omit<Opened, keyof RuntimeOf> & Runtime {
  const of = <Service>(key: { readonly name: string; readonly service?: (service: Service) => Service }): Service => {
    const found = opened.capability(key)
    if (found === undefined) throw new Error(`the capability ${key.name} is not in the list`)
    return found
  }
  const { newSession, preview, status } = opened
  const choose = (session: string, name: string, id: string | undefined) =>
    opened.choose(session, { [name]: id ?? null })
  const added: Partial<Runtime> = {
    newSession: ({ agent, project, subject, choices, ...rest } = {}) =>
      newSession({ ...rest, choices: { ...choices, ...named({ agent, project, subject }) } }),
    preview: ({ agent, project, subject, choices, ...rest }) =>
      preview({ ...rest, choices: { ...choices, ...named({ agent, project, subject }) } }),
    async status() {
      const found = await status()
      return { ...found.facts, ...found }
    },
    setAgent: (session, id) => choose(session, 'agent', id),
    setProject: (session, id) => choose(session, 'project', id),
    setSubject: (session, id) => choose(session, 'subject', id),
    summariseNotes: (subject) => of(keys.subjects).summariseNotes(subject),
    search: ({ project, ...query }) =>
      of(keys.files).search({
        ...query,
        ...(project === undefined ? {} : { owner: { type: 'project', id: project } }),
      }),
    memory: (session, input = '') => of(keys.memory).show(session, input),
    forgetMemory: (session) => of(keys.memory).forget(session),
  }
  const services: Record<string, () => unknown> = {
    prompt: () => of(keys.prompt).edited,
    agents: () => of(keys.agents),
    projects: () => of(keys.projects),
    subjects: () => of(keys.subjects).subjects,
    proposals: () => of(keys.subjects).proposals,
    library: () => of(fileLibrary),
  }
  Object.assign(opened, added)
  for (const [name, get] of Object.entries(services)) {
    Object.defineProperty(opened, name, { get, enumerable: true, configurable: true })
  }
  return opened as unknown as Omit<Opened, keyof RuntimeOf> & Runtime
}

function named(choices: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(choices).flatMap(([name, id]) => (id === undefined ? [] : [[name, id]])))
}

/** A runtime over a home, with the features that it has unless `capabilities` says otherwise. */
export async function openRuntime(
  options: Omit<OpenOptions, 'capabilities'> & Partial<Pick<OpenOptions, 'capabilities'>>,
): Promise<Omit<HostedRuntime, keyof RuntimeOf> & Runtime> {
  const { configuration } = options
  const capabilities = options.capabilities ?? (await homeFeatures(options))
  const capabilitySettings = {
    subjects: configuration.subjects,
    files: configuration.files,
    search: configuration.search,
    memory: configuration.context.memory,
    ...options.capabilitySettings,
  }
  const known = options.providers ?? providers
  return withFeatures(await openWith({ ...options, providers: known, capabilities, capabilitySettings }))
}

/** The features of a home, in the order their layers are declared and their tools are offered. */
export async function homeFeatures({
  home,
  configuration,
  environment,
}: Pick<OpenOptions, 'home' | 'configuration' | 'environment'>): Promise<readonly AnyCapability[]> {
  const { agent, context, plugins, skills, web, mcp } = configuration
  const { systemPromptFile, soulFile, userProfileFile } = homeAt(home)
  const { workspace } = agent
  const reader = createDocumentReader({ limits: { bytes: configuration.files.maxBytes } })
  const servers = Object.entries(mcp.servers)
  try {
    return [
      prompt,
      wrapped('date', ({ layout, timeZone }) =>
        datePlugin({ granularity: context.dateGranularity, timeZone, tells: layout.tellsDate }),
      ),
      wrapped('instructions', () =>
        instructionsPlugin({ file: join(workspace, 'AGENTS.md'), read: readerWithin([workspace]) }),
      ),
      wrapped('persona', ({ layout }) => personaPlugin({ soulFile, userProfileFile, expected: layout.expectsPersona })),
      skillsFeature(configuration),
      wrapped('workspace', () =>
        workspacePlugin({
          folder: workspace,
          outOfReach: [...ownersPlaces(home), configuration.subjects.directory, configuration.subjects.tastes],
          ownersFiles: [
            systemPromptFile,
            soulFile,
            userProfileFile,
            ...moduleFiles([...plugins, ...configuration.capabilities], home),
          ],
          skillRoots: [skills.directory, ...skills.extraDirs],
        }),
      ),
      wrapped('shell', ({ access }) => shellPlugin({ workspace, environment, access })),
      wrapped('web', () => {
        const plugin = webPlugin({ ...web, environment, readDocument: reader.read })
        return { ...plugin, stop: () => reader.close() }
      }),
      subjects,
      ...(servers.length === 0 ? [] : [wrapped('mcp', (host) => mcpOf(servers, host))]),
      ...(await loadPlugins(plugins, { home, workspace })).map(pluginAsCapability),
      agents,
      projects,
      files,
      search,
      memory,
    ]
  } catch (error) {
    await reader.close()
    throw error
  }
}

/** Those that hold what people make, for runtimes that are put together by hand, in this order. */
export const ownFeatures: readonly AnyCapability[] = [subjects, agents, projects, files, search, memory]

/** Their settings, where nothing is configured. */
export function ownSettings(
  home: string,
  {
    subject,
    memory: remembers,
  }: { readonly subject?: string | undefined; readonly memory?: MemorySettings | undefined } = {},
): Readonly<Record<string, unknown>> {
  return {
    subjects: {
      directory: join(home, 'subjects'),
      tastes: join(home, 'tastes'),
      maxTextChars: 20_000,
      maxReplyChars: 50_000,
      summarize: false,
      default: subject,
    },
    ...(remembers && { memory: remembers }),
  }
}

/** A plugin that is made of what the home gives. Where it does not start, its name is said as it is configured. */
function wrapped(name: string, make: (host: CapabilityHost<unknown>) => Plugin | Promise<Plugin>): AnyCapability {
  const own = new WeakMap<object, AnyCapability>()
  const of = (self: { readonly service: unknown }) => own.get(self.service as object)!
  return capability<unknown, object>({
    name,
    async start(host) {
      const value = pluginAsCapability(await make(host))
      const service = {}
      own.set(service, value)
      await value.start?.(host)
      return service
    },
    layers: (self, context) => of(self).layers!(self, context),
    tools: (self) => of(self).tools!(self),
    promptBlocks: (self) => of(self).promptBlocks!(self),
    placeholders: (self, context) => of(self).placeholders!(self, context),
    ready: (self) => of(self).ready!(self),
    reload: (self) => of(self).reload!(self),
    withheld: (self) => of(self).withheld!(self),
    accept: (self, tool, digest) => of(self).accept!(self, tool, digest),
    warnings: (self) => of(self).warnings!(self),
    stop: (self) => of(self).stop!(self),
  })
}

function skillsFeature({ agent: { workspace }, skills, mcp }: Configuration): AnyCapability {
  const { directory, extraDirs, trustedDirs, disabled, contextMode, allowScripts } = skills
  const words = capabilitiesPlugin()
  return capability<unknown, SkillsPlugin>({
    name: 'skills',
    async start({ home, environment, layout }) {
      const plugin = skillsPlugin({
        roots: await skillRoots({ home: home.folder, directory, extraDirs, workspace, trustedDirs }),
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
      await plugin.start?.()
      return plugin
    },
    layers: async ({ service }, context) => [
      ...((await service.layers?.(pluginContext(context))) ?? []),
      ...((await words.layers?.(pluginContext(context))) ?? []),
    ],
    tools: ({ service }) => service.tools?.() ?? [],
    promptBlocks: ({ service }) => service.skills?.() ?? [],
    reload: async ({ service }) => service.reload?.(),
    warnings: ({ service }) => service.warnings?.() ?? [],
    status: ({ service }) => ({ skills: service.loaded().skills.length }),
  })
}

/** Programs run in the home unless their configuration says otherwise, and not wherever the gateway was started. */
function mcpOf(
  servers: readonly (readonly [string, Configuration['mcp']['servers'][string]])[],
  { home, environment, version, store, writes }: CapabilityHost<unknown>,
): Plugin {
  const keyOf = (server: string) => `mcp/accepted/${server}`
  return mcpPlugin({
    servers: Object.fromEntries(servers.map(([name, server]) => [name, { directory: home.folder, ...server }])),
    environment,
    version,
    connects: writes,
    accepted: {
      read: (server) => store.value(keyOf(server)),
      write: (server, definitions) => store.putValue(keyOf(server), definitions),
    },
  })
}
