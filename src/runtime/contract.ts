import type { EditedPrompt } from '../capabilities/prompt/edited-prompt.ts'
import type { AgentValue, ProjectValue } from '../capabilities/agents/custom-agents.ts'
import type { MeaningStatus } from '../capabilities/files/file-room.ts'
import type {
  FileLibrary,
  NewSession as NewSessionOf,
  PreviewOptions as PreviewOptionsOf,
  Records,
  Runtime as RuntimeOf,
  RuntimeStatus as RuntimeStatusOf,
} from '../capability.ts'
import type { SessionSummary } from '../capabilities/memory/core/session-summaries.ts'
import type { Proposals, Subjects } from '../capabilities/subjects/core.ts'
import type { IndexProgress, SearchAnswer, SearchQuery } from '../search.ts'
import type { SessionRow } from '../session.ts'

/** What capabilities will take over: the services of the features, as long as the runtime names them. */
export interface Runtime extends Omit<RuntimeOf, 'newSession' | 'preview' | 'status'> {
  newSession(options?: NewSession): Promise<SessionRow>
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

export interface NewSession extends Omit<NewSessionOf, 'choices'> {
  readonly agent?: string
  readonly project?: string
  readonly subject?: string
}

export interface PreviewOptions extends Omit<PreviewOptionsOf, 'choices'> {
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
