import type { RetryNotice } from '../agent.ts'
import type { AnyMessage, Comparison, Manifest, OfferedWith, ToolDefinition } from '../context.ts'
import type { CallParameters, FinishReason, ModelFacts } from '../model.ts'
import type { WithheldTool } from '../capability.ts'
import type { IndexProgress, Recall, SearchAnswer, SearchQuery } from '../search.ts'
import type {
  ApprovalDecision,
  ApprovalQuestion,
  AuditVerdict,
  Binding,
  CallRecord,
  CallWarning,
  Entry,
  SessionRow,
  SessionStore,
  TurnOutcome,
  Usage,
  Source,
} from '../session.ts'
import type { Proposals, Subjects } from '../capabilities/subjects/core.ts'
import type { CallDescription, ToolResult } from '../tool.ts'
import type { AgentValue, ProjectValue } from '../capabilities/agents/custom-agents.ts'
import type { EditedPrompt } from '../capabilities/prompt/edited-prompt.ts'
import type { MeaningStatus } from '../capabilities/files/file-room.ts'
import type { LearnedLimit } from './models/learned-limits.ts'
import type { Library } from '../capabilities/files/library.ts'
import type { SessionSummary } from '../capabilities/memory/core/session-summaries.ts'
import type { ModelView } from './models/model-view.ts'
import type { Pairings } from './channels/pairings.ts'
import type { Records } from './records.ts'
import type { RuntimeErrorCode } from './runtime-error.ts'
import type { CompletionCutChoice } from './settings.ts'

/**
 * Many sessions over one home: what every door (HTTP, command line, channels) talks to. Methods reject with
 * `RuntimeError`; nothing they reject with has changed anything.
 */
export interface Runtime {
  /** Read what you like; write only through the runtime. */
  readonly store: SessionStore

  /** Resolves once the input is on disk. A repeat with the same idempotency key answers the same turn. */
  submit(input: SubmitInput): Promise<Submitted>
  /** Ends a queued or running turn; what was said is kept. Answers false where there was nothing to end. */
  cancel(session: string, turn: string): Promise<boolean>
  /**
   * What happens in a session, from `after` on: first what the log holds, then live. With `turn`, only that turn's
   * events, and the stream ends when the turn is over or interrupted. A slow reader never holds a turn up.
   */
  events(session: string, options: EventsOptions): AsyncGenerator<SessionEvent>

  newSession(options?: NewSession): Promise<SessionRow>
  /** The session of a conversation, made when there is none. */
  sessionFor(binding: Binding): Promise<string>
  /** `undefined` returns to the configured model. */
  setModel(session: string, model: string | undefined): Promise<void>
  /** From the next turn on; `undefined` returns to the default agent. Rejects with `not-found`. */
  setAgent(session: string, agent: string | undefined): Promise<void>
  setProject(session: string, project: string | undefined): Promise<void>
  /** Rejects with `not-found`. */
  setSubject(session: string, subject: string | undefined): Promise<void>
  /**
   * Takes the last turn back: it stays in the log, and no later call reads it. What its tools did stays done. Rejects with
   * `not-found` where there is none, with `invalid-input` while one is running or waits, and with `changed` where somebody
   * else takes it back, or says something, at the same moment.
   */
  undo(session: string): Promise<UndoneSessionTurn>
  deleteSession(session: string): Promise<boolean>

  /** The system prompt, custom agents and projects, each with its history. */
  readonly prompt: EditedPrompt
  readonly agents: Records<AgentValue>
  readonly projects: Records<ProjectValue>
  /** Folders of subjects and tastes, and what models would like to write there. */
  readonly subjects: Subjects
  readonly proposals: Proposals
  /** Has a model put long notes into words and keeps them. Rejects with `invalid-input` where that is not switched on. */
  summariseNotes(subject: string): Promise<NotesSummary>
  /** Chats that may talk here. */
  readonly pairings: Pairings
  /** Files that people handed in. */
  readonly library: Library
  /** Passages of files, for a person: nothing is hidden from whoever runs the gateway. */
  search(query: FileSearch): Promise<FileSearchAnswer>
  /** What was said and done in sessions. A person may ask about all of them, a model about its own conversation. */
  readonly recall: Recall

  /** What a turn of this session is given of earlier ones, and what others may be given of it. `input` is the next message. */
  memory(session: string, input?: string): Promise<SessionMemory>
  /** From now on no other session is given anything of this one. Its log stays. */
  forgetMemory(session: string): Promise<void>

  /** One call outside every session: the messages are the history. Assembled, accounted for, and not kept. */
  complete(input: CompletionInput): AsyncGenerator<CompletionEvent>

  /** What the next call would send. Writes nothing. Without a session: the first call of a new one. */
  preview(options: PreviewOptions): Promise<Preview>
  /** The exact request of an earlier call, built again and checked against its digest. */
  request(call: string): Promise<RebuiltRequest>
  diff(before: string, after: string): Promise<Comparison>
  replay(session: string): Promise<Replay>

  /** Calls that wait for a person, oldest first. */
  approvals(): Promise<readonly WaitingApproval[]>
  /**
   * A person's decision about one call, on disk when it resolves. `digest` has to be the one of what was shown. Rejects with
   * `not-found`, and with `decided` where the digest is another one or somebody has decided already.
   */
  decide(approval: string, decision: PersonsDecision): Promise<void>

  /** Every tool there is, offered or not, and why. */
  tools(): Promise<readonly ToolStatus[]>
  /** What a call outside every turn would do. Runs nothing. */
  planTool(tool: string, input: unknown): Promise<ToolTrial>
  /** Runs what `planTool` described, under the same policy, for a person who saw it: `digest` has to be the one of the plan. */
  runTool(tool: string, input: unknown, digest: string): Promise<ToolResult>
  /** Accepts a changed definition. Answers false where nothing of that name and digest is withheld. */
  acceptTool(tool: string, digest: string): Promise<boolean>
  verifyAudit(): Promise<AuditVerdict>

  models(): Promise<readonly ModelStatus[]>
  /** One model; the configured one where no id is given. Rejects with `model-not-found`. */
  model(id?: string): Promise<ModelView>
  status(): Promise<RuntimeStatus>
  /** Reads prompt files and plugins again, between turns. */
  reload(): Promise<{ readonly warnings: readonly string[] }>
  /** Stops taking input, ends running calls, keeps their turns for the next start, and closes the store. */
  close(): Promise<void>
}

/** What a session begins with. */
export interface NewSession {
  readonly title?: string
  readonly binding?: Binding
  /** The session that it goes on from, where no binding says so. Rejects with `not-found`. */
  readonly after?: string
  readonly model?: string
  /** Ids; `not-found` where there is none. */
  readonly agent?: string
  readonly project?: string
  /** `not-found` where there is no folder of it. */
  readonly subject?: string
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

/** A turn that was taken back. */
export interface UndoneSessionTurn {
  readonly session: string
  readonly turn: string
  /** What the person had said. */
  readonly text: string
  /** The turn behind which the conversation goes on; `undefined`: it begins again. */
  readonly head: string | undefined
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

/** What a person says. */
export interface SubmitInput {
  /** A new session is made where absent. */
  readonly session?: string
  /** The session that a new one goes on from. Rejects with `not-found`. */
  readonly after?: string
  readonly text: string
  readonly idempotencyKey?: string
  /** For this turn alone. */
  readonly model?: string
  /** The system prompt of this turn alone, in place of every other: the custom agent's, the edited and the packaged one. */
  readonly system?: string
  /** Ids of files, in the order in which they stand above the message. Files that are still being read are waited for. */
  readonly attachments?: readonly string[]
  /** What the caller of an API asks of each call of this turn. */
  readonly parameters?: CallParameters
}

/** Where accepted input stands, and the turn that answers it. */
export interface Submitted {
  readonly session: string
  readonly turn: string
  readonly seq: number
  /** The same key was admitted before; this is that turn. */
  readonly repeated: boolean
}

/** From where on events are told, and of what. */
export interface EventsOptions {
  /** The id of the last event that was seen. Absent: from the beginning; `live`: only what comes. */
  readonly after?: string
  readonly turn?: string
  readonly signal?: AbortSignal
}

/**
 * `entry` events are definitive and come from the log. Deltas and retries are provisional: the `message` entry that follows
 * holds the whole text and replaces them. An id says exactly what a reader has seen: everything up to the entry `SEQ`, and in `SEQ.N` the first N
 * deltas of the call that was running there.
 */
export type SessionEvent =
  | { readonly id: string; readonly type: 'entry'; readonly entry: Entry }
  | {
      readonly id: string
      readonly type: 'text-delta' | 'reasoning-delta'
      readonly turn: string
      readonly call: string
      readonly text: string
    }
  /** Nothing was said yet: the call failed and is made again in a while, unless the turn is cancelled meanwhile. */
  | ({ readonly id: string; readonly turn: string } & RetryNotice)
  /**
   * The turn stops: because the disk is full, then it goes on as soon as the log can be written again; or because the
   * gateway stops, then at its next start.
   */
  | {
      readonly id: string
      readonly type: 'interrupted'
      readonly turn: string
      readonly code: RuntimeErrorCode
      readonly message: string
    }

/** A conversation that its caller keeps. */
export interface CompletionInput {
  /** In their order, system messages among them. */
  readonly messages: readonly AnyMessage[]
  /** The caller's tools: calls to them are handed back, never run here. */
  readonly tools?: readonly ToolDefinition[]
  readonly toolChoice?: 'auto' | 'none'
  readonly model?: string
  /** Room for the answer; what the configuration reserves unless given. */
  readonly maxOutputTokens?: number
  readonly parameters?: CallParameters
  /**
   * What becomes of a conversation that does not fit. `none`: it is refused with `context-overflow`. `auto`: what is oldest
   * is left out or shortened, and `call-start` says what. As `context.completions.cut` has it unless given.
   */
  readonly cut?: CompletionCutChoice
  /**
   * Whether the layers of this home (prompt, date, instructions, skills) are added in front. As `context.completions.prompt`
   * has it unless given. What is neither added to nor cut reaches the provider exactly as it was given.
   */
  readonly prompt?: boolean
  /** Sessions whose words the messages hold: what is recorded of the messages is removed with them. */
  readonly holds?: readonly string[]
  readonly signal?: AbortSignal
}

/** What was taken out of a conversation so that it fits. */
export interface CompletionCut {
  /** Of the caller, system messages among them. */
  readonly messages: number
  readonly messagesLeftOut: number
  /** Messages with tool results that were shortened. */
  readonly resultsShortened: number
  /** By the counter of the account. */
  readonly tokensLeftOut: number
}

/** What an answer tells while it comes; `finish` is the last. */
export type CompletionEvent =
  | { readonly type: 'call-start'; readonly call: string; readonly model: string; readonly cut?: CompletionCut }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-call'; readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: Usage }

/** A request in canonical order. */
export interface RequestView {
  readonly tools: readonly ToolDefinition[]
  readonly system?: string
  readonly messages: readonly AnyMessage[]
}

/** A call that is not made. What is not named is the session's, or that of a new one. */
export interface PreviewOptions {
  readonly session?: string
  readonly input?: string
  readonly model?: string
  readonly system?: string
  readonly agent?: string
  readonly project?: string
  readonly subject?: string
}

/** The next call as it would be made now. */
export interface Preview {
  readonly model: string
  readonly request: RequestView
  readonly manifest: Manifest
}

/** An earlier call, built again. */
export interface RebuiltRequest {
  readonly call: CallRecord
  readonly request: RequestView
  readonly digest: string
  readonly identical: boolean
  /** The body that left, made again. Absent where none left. */
  readonly wire?: WireProof
}

/** What became of making the body of an earlier call again. Digests are SHA-256. */
export type WireProof =
  | { readonly state: 'identical'; readonly expected: string; readonly got: string }
  | { readonly state: 'different'; readonly expected: string; readonly got: string }
  /** It cannot be made now: another version of Foreword recorded the call, its model is out of reach, an image is gone. */
  | { readonly state: 'unknown'; readonly expected: string; readonly why: string }

/** All calls of a session, built again. */
export interface Replay {
  readonly session: string
  readonly calls: number
  readonly identical: number
  readonly different: readonly ReplayDifference[]
  /** The bodies that left for a provider, made again. Absent where none left. */
  readonly wires?: {
    readonly identical: number
    readonly different: readonly { readonly call: string; readonly expected: string; readonly got: string }[]
    readonly unknown: readonly { readonly call: string; readonly why: string }[]
  }
}

/** A call that is not what it was. `got` is empty where it could not be built again, and `problem` says why. */
export interface ReplayDifference {
  readonly call: string
  readonly expected: string
  readonly got: string
  readonly problem?: string
}

/** A model as a person chooses it. */
export interface ModelStatus {
  readonly id: string
  readonly provider: string
  readonly ready: boolean
  /** Why it is not ready, and how to fix it. */
  readonly why?: string
  /** Tokens, where that is known without asking its server. */
  readonly window?: number
  readonly facts?: ModelFacts
  /** Chosen for sessions that say nothing else. */
  readonly current: boolean
  /** Learned from what the provider reported: reported ÷ estimated prompt tokens, and how many calls taught it. */
  readonly calibration?: { readonly counter: string; readonly ratio: number; readonly samples: number }
  /** Learned from one answer of its provider, and held for an hour: that it takes less than it is known for. */
  readonly limit?: LearnedLimit & { readonly sentence: string }
}

/** A call that waits for a person. */
export interface WaitingApproval {
  readonly approval: string
  readonly session: string
  readonly turn: string
  readonly toolCallId: string
  /** ISO 8601. */
  readonly time: string
  readonly rule: string
  readonly request: ApprovalQuestion
  readonly digest: string
}

export interface PersonsDecision {
  readonly decision: ApprovalDecision
  readonly digest: string
  /** Through which door, such as `cli` or `http`. */
  readonly by: string
}

/** A tool, and whether the model may call it. */
export interface ToolStatus {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** The plugin it comes from; `foreword` for its own. */
  readonly from: string
  readonly access: 'allowed' | 'ask' | 'refused'
  /** What decided. */
  readonly rule: string
  /** The sentence of a refusal. */
  readonly reason?: string
  /** Offered only where this layer stands in this form. */
  readonly offeredWith?: OfferedWith
  /** Offered only while something is so, and whether it is so now. */
  readonly offeredWhile?: { readonly what: string; readonly isSo: boolean }
  /** Made for each session that it is of use in: `sessions that …`. Any session where absent. */
  readonly offeredIn?: string
  /** Its definition has changed since it was accepted. */
  readonly withheld?: WithheldTool
}

/** A call outside every turn, described and not run. */
export type ToolTrial =
  | { readonly type: 'refused'; readonly rule: string; readonly error: string }
  | {
      readonly type: 'allowed' | 'ask'
      readonly rule: string
      readonly call: CallDescription
      readonly digest: string
    }

/** What runs here. */
export interface RuntimeStatus {
  readonly version: string
  readonly home: string
  readonly model: { readonly id: string; readonly why: string }
  readonly running: number
  readonly queued: number
  /** Calls that wait for a person; their turns are among those that run. */
  readonly waiting: number
  readonly recovered: number
  /** Skills that are loaded; absent where nothing loads any. */
  readonly skills?: number
  readonly warnings: readonly string[]
  /** Search by meaning; absent without an embedding model. */
  readonly meaning?: MeaningStatus
  readonly started: string
}

/** Totals over the calls of a turn: billed tokens, not the prompt size of any one call. */
export interface TurnTotals {
  readonly calls: number
  readonly promptTokensBilled: number | undefined
  readonly cachedTokensBilled: number | undefined
  readonly outputTokensBilled: number | undefined
}

/** A settled or running turn, as a door shows it. */
export interface TurnView {
  readonly session: string
  readonly turn: string
  readonly outcome: TurnOutcome | undefined
  /** How it ended, for a person; absent where it ended well, or runs. */
  readonly notice?: string
  /** The text of the answer. */
  readonly text: string
  /** What its answers cite, each number once, in their order; absent where they cite nothing. */
  readonly citations?: readonly Source[]
  readonly calls: readonly string[]
  readonly totals: TurnTotals
  /** What is to be said of its calls, whose answers stand. */
  readonly warnings: readonly CallWarning[]
}
