import { aiSdkChat } from '../../src/capabilities/ai-sdk-chat/ai-sdk-chat.ts'
import { anthropicApi } from '../../src/capabilities/anthropic-api/anthropic-api.ts'
import { openaiApi } from '../../src/capabilities/openai-api/openai-api.ts'
import { join } from 'node:path'
import type { AgentValue } from '../../src/capabilities/agents/agent-record.ts'
import { agents } from '../../src/capabilities/agents/agents.ts'
import { costs } from '../../src/capabilities/costs/costs.ts'
import type { FileService, MeaningStatus } from '../../src/capabilities/files/file-service.ts'
import { files } from '../../src/capabilities/files/files.ts'
import type { Memory, SessionMemory } from '../../src/capabilities/memory/core/memory.ts'
import type { MemorySettings } from '../../src/capabilities/memory/core/memory-layers.ts'
import { memory } from '../../src/capabilities/memory/memory.ts'
import { type ProjectValue, projects } from '../../src/capabilities/projects/projects.ts'
import type { TemplateValue } from '../../src/capabilities/templates/template-record.ts'
import type { EditedPrompt } from '../../src/capabilities/prompt/edited-prompt.ts'
import type { PromptService } from '../../src/capabilities/prompt/prompt.ts'
import { search } from '../../src/capabilities/search/search.ts'
import type { Proposals, Subjects } from '../../src/capabilities/subjects/core/subjects.ts'
import type { SubjectService } from '../../src/capabilities/subjects/subject-service.ts'
import { subjects } from '../../src/capabilities/subjects/subjects.ts'
import {
  type AnyCapability,
  type FileLibrary,
  fileLibrary,
  type NewSession as NewSessionOf,
  type PreviewOptions as PreviewOptionsOf,
  type Records,
  type Runtime as RuntimeOf,
  type RuntimeStatus as RuntimeStatusOf,
  serviceKey,
} from '../../src/capability.ts'
import { builtIn } from '../../src/foreword.ts'
import { type HostedRuntime, type OpenOptions, openRuntime as openWith } from '../../src/runtime.ts'

/** A runtime with the services of what comes with Foreword on the runtime itself, as tests ask for them. */
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
  readonly templates: Records<TemplateValue>
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
  templates: serviceKey<Records<TemplateValue>>('templates'),
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
    templates: () => of(keys.templates),
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

/** A runtime over a home, with everything that comes with Foreword unless `capabilities` says otherwise. */
export async function openRuntime(
  options: Omit<OpenOptions, 'capabilities'> & Partial<Pick<OpenOptions, 'capabilities'>>,
): Promise<Omit<HostedRuntime, keyof RuntimeOf> & Runtime> {
  return withFeatures(await openWith({ ...options, capabilities: options.capabilities ?? builtIn }))
}

/** Those that hold what people make, for runtimes that are put together by hand, in this order. */
export const ownFeatures: readonly AnyCapability[] = [
  subjects,
  agents,
  projects,
  search,
  files,
  memory,
  costs,
  openaiApi,
  anthropicApi,
  aiSdkChat,
]

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
