import { join } from 'node:path'
import { customAgentPlugin } from '../capabilities/agents/agents.ts'
import { agentKind, type AgentValue, projectKind, type ProjectValue } from '../capabilities/agents/custom-agents.ts'
import { datePlugin } from '../capabilities/date/date.ts'
import { configuredEmbedder } from '../capabilities/files/configured-embedder.ts'
import type { MeaningStatus } from '../capabilities/files/file-room.ts'
import { instructionsPlugin } from '../capabilities/instructions/instructions.ts'
import { mcpPlugin } from '../capabilities/mcp-client/mcp-client.ts'
import { offeredPrefix } from '../capabilities/mcp-client/tool-name.ts'
import { createMemory, type Memory } from '../capabilities/memory/core/memory.ts'
import { type MemorySettings, usualMemory } from '../capabilities/memory/core/memory-settings.ts'
import type { SessionSummary } from '../capabilities/memory/core/session-summaries.ts'
import { memoryPlugin } from '../capabilities/memory/memory.ts'
import { sessionsIn } from '../capabilities/memory/sessions-in.ts'
import { personaPlugin } from '../capabilities/persona/persona.ts'
import { createEditedPrompt, type EditedPrompt } from '../capabilities/prompt/edited-prompt.ts'
import { promptPlugin } from '../capabilities/prompt/prompt.ts'
import { providers } from '../capabilities/providers.ts'
import { shellPlugin } from '../capabilities/shell/shell.ts'
import { capabilitiesPlugin } from '../capabilities/skills/capabilities.ts'
import { binaryFinder } from '../capabilities/skills/folder/find-binary.ts'
import { skillRoots } from '../capabilities/skills/folder/skill-roots.ts'
import { type SkillsPlugin, skillsPlugin } from '../capabilities/skills/skills.ts'
import { type Proposals, SubjectError, type SubjectReading, type Subjects } from '../capabilities/subjects/core.ts'
import { openSubjectRoom, type SubjectRoom } from '../capabilities/subjects/subject-room.ts'
import { subjectsPlugin } from '../capabilities/subjects/subjects.ts'
import { webPlugin } from '../capabilities/web-access/web-access.ts'
import { workspacePlugin } from '../capabilities/workspace/workspace.ts'
import {
  type AnyCapability,
  capability,
  type CapabilityHost,
  type FileLibrary,
  fileLibrary,
  type LayerContext,
  type NewSession as NewSessionOf,
  type Plugin,
  pluginAsCapability,
  pluginContext,
  type PreviewOptions as PreviewOptionsOf,
  readerWithin,
  type Records,
  type Runtime as RuntimeOf,
  RuntimeError,
  type RuntimeStatus as RuntimeStatusOf,
  serviceKey,
} from '../capability.ts'
import { createDocumentReader } from '../document.ts'
import type { IndexProgress, SearchAnswer, SearchQuery } from '../search.ts'
import type { Configuration } from './configuration/settled.ts'
import type { HostedRuntime } from './create-runtime.ts'
import { type FileFeature, filesFeature } from './feature-files.ts'
import { homeAt, ownersPlaces } from './home/home.ts'
import { loadPlugins, pluginFiles } from './load-plugins.ts'
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
  summariseNotes(subject: string): Promise<NotesSummary>
  readonly library: FileLibrary
  search(query: FileSearch): Promise<FileSearchAnswer>
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

/** What a session is given of what was said and done before, and what is kept of the session itself. */
export interface SessionMemory {
  readonly session: string
  /** What is switched on in the layout of the configuration. */
  readonly on: { readonly previousSession: boolean; readonly toolHistory: boolean }
  readonly layers: readonly {
    /** As in the manifest: `memory` (in `ayati`), `previous-session` or `tool-history`. */
    readonly id: string
    /** As the model reads it; empty where there is nothing. */
    readonly text: string
    /** What it costs by the counter of the configuration. */
    readonly tokens: number
    /** Sessions whose words it holds. */
    readonly from: readonly string[]
    readonly origin: string
  }[]
  /** Its own summary, for the next session of its conversation; absent where nobody has said anything in it. */
  readonly own?: SessionSummary
  /** Nothing of it is given to other sessions. */
  readonly forgotten: boolean
}

/** Notes in a model's words, kept for as long as the notes are the same. */
export interface NotesSummary {
  readonly subject: string
  readonly text: string
  readonly model: string
  /** SHA-256 of the notes that it covers. */
  readonly covers: string
  /** Lines of the notes. */
  readonly lines: number
  /** ISO 8601. */
  readonly time: string
}

/** A question to the index of files. */
export interface FileSearch {
  readonly text: string
  /** Only files of this project; of all projects, agents and sessions where absent. */
  readonly project?: string
  /** 10 unless given. */
  readonly limit?: number
  /** Both ways unless given. */
  readonly by?: SearchQuery['by']
}

export interface FileSearchAnswer extends SearchAnswer {
  readonly progress: IndexProgress
}

/** What subjects give others. */
interface SubjectService extends Pick<SubjectRoom, 'subjects' | 'proposals' | 'summariseNotes'> {}

/** What memory gives others. */
interface MemoryService extends Pick<Memory, 'show' | 'forget' | 'conversationOf'> {}

const keys = {
  prompt: serviceKey<EditedPrompt>('prompt'),
  agents: serviceKey<Records<AgentValue>>('agents'),
  projects: serviceKey<Records<ProjectValue>>('projects'),
  subjects: serviceKey<SubjectService>('subjects'),
  files: serviceKey<FileFeature>('files'),
  memory: serviceKey<MemoryService>('memory'),
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
    search: (query) => of(keys.files).search(query),
    memory: (session, input = '') => of(keys.memory).show(session, input),
    forgetMemory: (session) => of(keys.memory).forget(session),
  }
  const services: Record<string, () => unknown> = {
    prompt: () => of(keys.prompt),
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
  const capabilities = options.capabilities ?? (await homeFeatures(options))
  return withFeatures(await openWith({ ...options, providers: options.providers ?? providers, capabilities }))
}

/** The features of a home, in the order their layers are declared and their tools are offered. */
export async function homeFeatures({
  home,
  configuration,
  environment,
}: Pick<OpenOptions, 'home' | 'configuration' | 'environment'>): Promise<readonly AnyCapability[]> {
  const { agent, context, plugins, skills, subjects, web, files, search, mcp } = configuration
  const { systemPromptFile, soulFile, userProfileFile } = homeAt(home)
  const { workspace } = agent
  const reader = createDocumentReader({ limits: { bytes: files.maxBytes } })
  const { embedder, meaning, warnings } = configuredEmbedder(search, environment)
  const servers = Object.entries(mcp.servers)
  try {
    return [
      promptFeature(({ layout }) => promptPlugin({ file: systemPromptFile, ...layout.prompt })),
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
          outOfReach: [...ownersPlaces(home), subjects.directory, subjects.tastes],
          ownersFiles: [systemPromptFile, soulFile, userProfileFile, ...pluginFiles(plugins, home)],
          skillRoots: [skills.directory, ...skills.extraDirs],
        }),
      ),
      wrapped('shell', ({ access }) => shellPlugin({ workspace, environment, access })),
      wrapped('web', () => {
        const plugin = webPlugin({ ...web, environment, readDocument: reader.read })
        return { ...plugin, stop: () => reader.close() }
      }),
      subjectsFeature(subjects),
      ...(servers.length === 0 ? [] : [wrapped('mcp', (host) => mcpOf(servers, host))]),
      ...(await loadPlugins(plugins, { home, workspace })).map(pluginAsCapability),
      agentsFeature(),
      projectsFeature(),
      filesFeature({ limits: files, reader, ...(embedder && { embedder }), ...(meaning && { meaning }), warnings }),
      memoryFeature(context.memory),
    ]
  } catch (error) {
    await reader.close()
    throw error
  }
}

/** Those that hold what people make, for runtimes that are put together by hand. */
export function ownFeatures(
  home: string,
  { subject, memory }: { readonly subject?: string | undefined; readonly memory?: MemorySettings | undefined } = {},
): readonly AnyCapability[] {
  return [
    subjectsFeature({
      directory: join(home, 'subjects'),
      tastes: join(home, 'tastes'),
      maxTextChars: 20_000,
      maxReplyChars: 50_000,
      summarize: false,
      default: subject,
    }),
    agentsFeature(),
    projectsFeature(),
    filesFeature({}),
    memoryFeature(memory),
  ]
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

/** The plugin of a feature gives its layers within a turn from what was decided for it, and by itself in a call of no turn. */
const isOfNoTurn = ({ turn }: LayerContext) => turn === undefined

export function promptFeature(make: (host: CapabilityHost<unknown>) => Plugin): AnyCapability {
  return capability<unknown, EditedPrompt & { readonly plugin: Plugin }>({
    name: 'prompt',
    async start(host) {
      const plugin = make(host)
      await plugin.start?.()
      return { ...createEditedPrompt(host), plugin }
    },
    layers: async ({ service }, context) =>
      isOfNoTurn(context) ? ((await service.plugin.layers?.(withReplaced(context))) ?? []) : [],
    async turn({ service }) {
      const prompt = await service.text()
      return {
        layers: async (context) =>
          (await service.plugin.layers?.({ ...withReplaced(context), ...(prompt === undefined ? {} : { prompt }) })) ??
          [],
      }
    },
    reload: async ({ service }) => service.plugin.reload?.(),
    warnings: ({ service }) => service.plugin.warnings?.() ?? [],
  })
}

/** The prompt of an agent in place of the home's, as the plugin knows it. */
function withReplaced(context: LayerContext) {
  const { system, ...rest } = pluginContext(context)
  const ref = context.system?.ref ?? ''
  if (!ref.startsWith('agent/')) return { ...rest, ...(system === undefined ? {} : { system }) }
  const agent = { id: ref.slice('agent/'.length), name: '', prompt: system ?? '', mode: 'replace' as const }
  return { ...rest, agent }
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

function subjectsFeature(settings: Configuration['subjects']): AnyCapability {
  const read = async (subjects: Subjects, id: string): Promise<SubjectReading | undefined> => {
    try {
      return await subjects.context(id)
    } catch (error) {
      // Its folder was removed meanwhile.
      if (error instanceof SubjectError) return undefined
      throw error
    }
  }
  return capability<unknown, SubjectRoom & { readonly plugin: Plugin }>({
    name: 'subjects',
    session: {
      subject: {
        summary: 'Id of the subject that it is about.',
        none: 'the configured one, if there is one',
        async check({ service }, id) {
          try {
            await service.subjects.context(id)
          } catch (error) {
            if (!(error instanceof SubjectError)) throw error
            const code = error.code === 'not-found' ? 'not-found' : 'invalid-input'
            throw new RuntimeError(code, error.message, error.facts, { cause: error })
          }
        },
        usual: () => settings.default,
      },
    },
    async start(host) {
      const { store, clock, writes, warn } = host
      const room = openSubjectRoom({
        ...settings,
        store,
        clock,
        asksByItself: writes,
        complete: (input) => host.runtime.complete(input),
        warn,
      })
      const { subjects, proposals } = room
      const plugin = subjectsPlugin({ subjects, proposals, time: clock.time, usual: settings.default })
      await plugin.start?.()
      return { ...room, plugin }
    },
    tools: ({ service }) => service.plugin.tools?.() ?? [],
    async turn({ service }, { choices }) {
      const id = choices['subject']
      const subject = id === undefined ? undefined : await read(service.subjects, id)
      if (!subject) return {}
      return {
        layers: async (context) => (await service.plugin.layers?.({ ...pluginContext(context), subject })) ?? [],
        readsForeign: true,
      }
    },
    reload: async ({ service }) => service.plugin.reload?.(),
    warnings: ({ service }) => service.plugin.warnings?.() ?? [],
    stop: ({ service }) => service.close(),
  })
}

function agentsFeature(): AnyCapability {
  const plugin = customAgentPlugin()
  return capability<unknown, Records<AgentValue>>({
    name: 'agents',
    session: {
      agent: {
        summary: 'Id of the custom agent that answers.',
        none: 'the default agent',
        check: async ({ service }, id) => void (await service.get(id)),
        async preset({ service }, id) {
          const value = (await service.find(id))?.value
          if (!value) return undefined
          const { model, layout, tools, mode, prompt } = value
          return {
            ...(model === undefined ? {} : { model }),
            ...(layout === undefined ? {} : { layout }),
            ...(tools ? { tools } : {}),
            ...(mode === 'replace' ? { system: { text: prompt.trim(), ref: `agent/${id}` } } : {}),
          }
        },
      },
    },
    start: (host) =>
      host.records<AgentValue>({
        ...agentKind,
        async check({ model }, before) {
          if (model === undefined || model === before?.model) return
          try {
            await host.runtime.model(model)
          } catch (error) {
            // One that cannot be reached at the moment may well be there.
            if (error instanceof RuntimeError && error.code === 'model-not-found') throw error
          }
        },
      }),
    async turn({ service }, { choices }) {
      const id = choices['agent']
      const value = id === undefined ? undefined : (await service.find(id))?.value
      if (id === undefined || !value) return {}
      return { layers: async (context) => plugin.layers!({ ...pluginContext(context), agent: { ...value, id } }) }
    },
  })
}

function projectsFeature(): AnyCapability {
  const plugin = customAgentPlugin()
  return capability<unknown, Records<ProjectValue>>({
    name: 'projects',
    session: {
      project: {
        summary: 'Id of a project.',
        none: 'no project',
        check: async ({ service }, id) => void (await service.get(id)),
        preset: async ({ service }, id) => ((await service.find(id)) ? {} : undefined),
      },
    },
    start: (host) => host.records<ProjectValue>(projectKind),
    async turn({ service }, { choices }) {
      const id = choices['project']
      const value = id === undefined || choices['agent'] !== undefined ? undefined : (await service.find(id))?.value
      if (id === undefined || !value) return {}
      return { layers: async (context) => plugin.layers!({ ...pluginContext(context), project: { ...value, id } }) }
    },
  })
}

function memoryFeature(settings: MemorySettings = usualMemory): AnyCapability {
  const plugin = memoryPlugin()
  return capability<unknown, Memory>({
    name: 'memory',
    start(host) {
      const { store, clock, layout, counter, warn } = host
      return createMemory({
        store,
        clock,
        settings,
        layout,
        counter,
        complete: (input) => host.runtime.complete(input),
        recall: {
          find: (query) => host.runtime.recall.find(query),
          conversationOf: (session) => host.runtime.recall.conversationOf(session),
        },
        warn,
      })
    },
    layers: async (_, context) => (isOfNoTurn(context) ? plugin.layers!(pluginContext(context)) : []),
    async turn({ service }, { session, turn, text, layout, keeps, signal }) {
      const memory = await service.read({ session, turn, text, layout, keeps, signal })
      return {
        async layers(context) {
          const now = memory.now()
          return plugin.layers!({ ...pluginContext(context), ...(now ? { memory: now } : {}) })
        },
        readsForeign: memory.hasAny,
        holds: (layer) => (memory.whole ? heldIn(memory.whole, layer) : undefined),
      }
    },
    conversation: async ({ service }, session, sessions) => {
      const remembered = new Set(await service.conversationOf(session))
      return sessions.filter((id) => remembered.has(id))
    },
    sessionStarted: ({ service }, session) => service.begun(session),
    sessionDeleted: ({ service }, session) => service.forgetDeleted(session),
    stop: ({ service }) => service.close(),
  })
}

function heldIn(whole: Parameters<typeof sessionsIn>[0], layer: string): readonly string[] | undefined {
  const sessions = sessionsIn(whole, layer)
  return sessions.length > 0 ? sessions : undefined
}
