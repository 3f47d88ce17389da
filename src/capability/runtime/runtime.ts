import type { Comparison, OfferedWith, Price, Scenario, ToolDefinition } from '../../context.ts'
import type { ModelFacts } from '../../model.ts'
import type { Recall } from '../../search.ts'
import type {
  AuditKey,
  AuditReport,
  Binding,
  ChainPosition,
  SessionLabel,
  SessionRow,
  SessionStore,
} from '../../session.ts'
import type { AfterUntrusted, CallDescription, ToolResult } from '../../tool.ts'
import type { ServiceKey } from '../service.ts'
import type { ReloadResult, ReloadOptions, ConfigurationService } from './configuration-service.ts'
import type { ChoiceOption } from '../session-choice.ts'
import type { CompletionEvent, CompletionInput, CompletionSize } from './completions.ts'
import type {
  LayerHistory,
  LayerHistoryOptions,
  LayerSources,
  Preview,
  RebuildOptions,
  RebuiltRequest,
  Replay,
  ScenarioOptions,
  TriedOptions,
} from './calls.ts'
import type { RuntimeMetrics } from './metrics.ts'
import type { ModelSetup } from './model-setup.ts'
import type { NoteService } from './note-service.ts'
import type { Pairings } from './pairings.ts'
import type { AcceptanceService, GrantedTool, PersonsDecision, WaitingApproval } from './approvals.ts'
import type { AccessService } from './access-service.ts'
import type { RuntimeError } from '../runtime-error.ts'
import type { EventsOptions, SessionEvent, MessageEdit, SubmitInput, SubmittedTurn } from './turns.ts'
import type { EmbeddingsCaller, ForeignCallService } from './foreign-calls.ts'
import type { ForeignSessionService } from './foreign-sessions.ts'
import type { BudgetReport } from './budgets.ts'

/**
 * Many sessions over one home: what every host (HTTP, command line, channels) and every capability works with. Methods reject with
 * `RuntimeError`; nothing they reject with has changed anything.
 */
export interface Runtime {
  /** Read what you like; write only through the runtime. */
  readonly store: SessionStore

  /** Resolves once the input is on disk. A repeat with the same idempotency key answers the same turn. */
  submit(input: SubmitInput): Promise<SubmittedTurn>
  /** Ends a queued or running turn; what was said is kept. Returns false where there was nothing to end. */
  cancel(session: string, turn: string): Promise<boolean>
  /** Takes back a message that waits: it stays in the log, and no call reads it. Returns false where it does not wait. */
  withdraw(session: string, turn: string): Promise<boolean>
  /**
   * Changes a message that waits, in its place: the log keeps both, and every call reads the new one. Rejects with `changed` where
   * it does not wait any more, and where somebody else has edited it since `base`: then the facts have its words (`text`,
   * `attachments`) and their `base`.
   */
  editWaiting(session: string, turn: string, edit: MessageEdit): Promise<void>
  /**
   * What happens in a session, from `after` on: first the log, then live events. With `turn`, only that turn's
   * events, and the stream ends when the turn is over or interrupted. A slow reader never delays a turn.
   */
  events(session: string, options: EventsOptions): AsyncGenerator<SessionEvent>
  /** Resolves once the turn is over or interrupted, or `signal` is aborted. Rejects with `not-found`. */
  waitForTurn(session: string, turn: string, signal: AbortSignal): Promise<void>

  newSession(options?: NewSession): Promise<SessionRow>
  /** The session of a conversation, made when there is none. */
  sessionFor(binding: Binding): Promise<string>
  /** `undefined` returns to the configured model. */
  setModel(session: string, model: string | undefined): Promise<void>
  /**
   * Chooses for a session, by the name of the choice, from the next turn on; `null` returns to what is usual. Rejects with
   * `not-found` for an id of nothing, and with `invalid-input` for a choice that no capability offers.
   */
  choose(session: string, choices: Readonly<Record<string, string | null>>): Promise<void>
  /**
   * What can be chosen; `undefined` where that cannot be listed. Rejects with `not-found` for a choice that no capability
   * offers.
   */
  choiceOptions(choice: string): Promise<readonly ChoiceOption[] | undefined>
  /**
   * Takes the last turn back: it stays in the log, and no later call reads it. What its tools did stays done. Rejects with
   * `not-found` where there is none, with `invalid-input` while one is running or waits, and with `changed` where somebody
   * else takes it back, or sends a message, at the same moment.
   */
  undo(session: string): Promise<UndoneSessionTurn>
  /**
   * The session goes on after this turn, or from its beginning (`null`). Nothing is removed, and a turn that runs goes on. Rejects
   * with `not-found`, and with `invalid-input` for an undone turn.
   */
  goOnFrom(session: string, turn: string | null): Promise<void>
  /** The branches of a session by their last turns, that of the head first, then the newest. Rejects with `not-found`. */
  branches(session: string): Promise<readonly Branch[]>
  deleteSession(session: string): Promise<boolean>
  /** Renames, pins or files a session; absent fields stay as they are. Rejects with `not-found`. */
  label(session: string, label: SessionLabel): Promise<void>
  /**
   * Writes an exported session from its lines, under the id `as` where it is given, and returns its id. Turns that had not
   * ended are cancelled. Rejects with `invalid-input` for lines that are no export, and for an id that is taken.
   */
  importSession(lines: AsyncIterable<string>, options?: { readonly as?: string }): Promise<string>

  /** What a capability returned from `start`; `undefined` where it is not in the list. */
  capability<Service>(key: ServiceKey<Service>): Service | undefined
  /** Notes on what cuts took out of sessions. */
  readonly notes: NoteService
  /** Chats that may talk here. */
  readonly pairings: Pairings
  /** Searches what was said and done in sessions: all of them for a person, its own conversation for a model. */
  readonly recall: Recall

  /** One call outside every session: the messages are the history. Assembled, accounted for, and not kept. */
  complete(input: CompletionInput): AsyncGenerator<CompletionEvent>
  /** The size of what `complete` would send. Makes no call, and writes nothing; a conversation that does not fit is counted whole. */
  completionSize(input: CompletionInput): Promise<CompletionSize>

  /**
   * Passes a request for embeddings on to the provider of a model, in OpenAI's format, and returns its answer as it is. It is on
   * record as a call of the program that asked. Rejects with `model-not-found`, `over-budget`, `secret-in-body`, or with the failure
   * of the provider.
   */
  embeddings(model: string, body: Readonly<Record<string, unknown>>, from: EmbeddingsCaller): Promise<unknown>
  /** What the next call would send. Writes nothing. Without a session: the first call of a new one. */
  preview(options: TriedOptions): Promise<Preview>
  /** The exact request of an earlier call, built again and checked against its digest. */
  request(call: string, options?: RebuildOptions): Promise<RebuiltRequest>
  diff(before: string, after: string): Promise<Comparison>
  /** The input of the next call, for `foreword assemble` and for trying other settings. Writes nothing. */
  nextScenario(options: ScenarioOptions): Promise<Scenario>
  /** The same of an earlier call. `history`: so much of it, tokens, whatever had been cut before. */
  callScenario(call: string, history?: number): Promise<Scenario>
  /** The layers of the newest calls, with where each comes from and the named sections of its text. */
  layerSources(options?: Pick<LayerHistoryOptions, 'session' | 'limit'>): Promise<LayerSources>
  /** The versions of a layer, by its name or id, and the calls that read each of them. `*` is every layer. */
  layerHistory(layer: string, options?: LayerHistoryOptions): Promise<LayerHistory>
  replay(session: string): Promise<Replay>
  /** The price of a model; `undefined` where it is not known, or not known in time. */
  priceOf(model: string): Promise<Price | undefined>

  /** What is left of the configured budgets, in their order. */
  budgets(): Promise<readonly BudgetReport[]>

  /** Calls that wait for a person, oldest first. */
  approvals(): Promise<readonly WaitingApproval[]>
  /**
   * A person's decision about one call, on disk when it resolves. `digest` has to be the one of what was shown. Rejects with
   * `not-found`, and with `decided` where the digest is another one or somebody has decided already.
   */
  decide(approval: string, decision: PersonsDecision): Promise<void>
  /** Tools that are approved for a session, as long as the policy for them stays as it is. */
  grantedTools(session: string): Promise<readonly GrantedTool[]>
  /** Takes such an approval back. Rejects with `not-found` where there is none. */
  revokeTool(session: string, tool: string, by: string): Promise<void>

  /** Every tool there is, offered or not, and why. */
  tools(): Promise<readonly ToolStatus[]>
  /** What a call outside every turn would do. Runs nothing. */
  planTool(tool: string, input: unknown): Promise<ToolTrial>
  /** Runs what `planTool` described, under the same policy, for a person who saw it: `digest` has to be the one of the plan. `by` is for the audit. */
  runTool(tool: string, input: unknown, digest: string, by?: string): Promise<ToolResult>
  /** Accepts a changed definition. Returns false where nothing of that name and digest is withheld. */
  acceptTool(tool: string, digest: string, by?: string): Promise<boolean>
  /** Verifies the audit against its checkpoints and, where given, against one record that has to be in it. */
  verifyAudit(options?: { readonly expect?: ChainPosition | undefined }): Promise<AuditReport>
  /** The key that signs the checkpoints of the audit; `undefined` where there is none. */
  auditKey(): Pick<AuditKey, 'id' | 'publicKey'> | undefined
  /** What may run, for a person who changes it. */
  readonly access: AccessService
  /** What waits until a person accepts it. */
  readonly acceptance: AcceptanceService
  readonly configuration: ConfigurationService

  /** Calls of other programs that go through this gateway. */
  readonly foreign: ForeignCallService
  readonly foreignSessions: ForeignSessionService

  readonly setup: ModelSetup
  models(): Promise<readonly ModelStatus[]>
  /** One model; the configured one where no id is given. Rejects with `model-not-found`. */
  model(id?: string): Promise<ModelView>
  status(): Promise<RuntimeStatus>
  metrics(): Promise<RuntimeMetrics>
  /** Why no message can be accepted now: `closing`, `standby`, `storage` or `storage-full`. `undefined`: one can. Writes only after a write failed. */
  unready(): Promise<RuntimeError | undefined>
  /** Reads prompt files and plugins again, between turns. With `now`, heads are composed again at the next call. */
  reload(options?: ReloadOptions): Promise<ReloadResult>
  /**
   * Resolves when there is nothing to do by itself, in a session or at all: no turn runs, what was written is on disk, replies are
   * delivered, indexes and notes are complete. What waits for a person, or for a time such as the next attempt, is nothing to do.
   * Rejects with the reason of `signal`.
   */
  idle(session?: string, signal?: AbortSignal): Promise<void>
  /** Stops taking input, ends running calls, keeps their turns for the next start, and closes the store. */
  close(): Promise<void>
}

export interface RuntimeStatus {
  readonly version: string
  readonly home: string
  /** The address of the database of the store, without its password; absent where the store is a file of the home. */
  readonly store?: string
  readonly model: { readonly id: string; readonly why: string }
  readonly running: number
  readonly queued: number
  /** Calls that wait for a person; their turns are among those that run. */
  readonly waiting: number
  readonly recovered: number
  readonly warnings: readonly string[]
  readonly facts: Readonly<Record<string, unknown>>
  readonly started: string
}

export interface NewSession {
  readonly title?: string
  readonly binding?: Binding
  /** The session that it continues, where no binding says so. Rejects with `not-found`. */
  readonly after?: string
  readonly model?: string
  /** Ids by the name of the choice. Rejects with `not-found`. */
  readonly choices?: Readonly<Record<string, string>>
}

/** One branch of a session: a turn that no other follows, and what leads to it. */
export interface Branch {
  /** The turn that the branch ends with. */
  readonly leaf: string
  /** Whether the conversation goes on after it, or after a turn that leads to it. */
  readonly current: boolean
  /** The last turn that it shares with the branch of the head; `null`: it shares none. */
  readonly after: string | null
  /** When its first own message came; for the branch of the head, the newest one. ISO 8601, UTC. */
  readonly time: string
  /** The beginning of its first own message; for the branch of the head, of the newest one. */
  readonly words: string
  /** From the beginning of the conversation to its end. */
  readonly turns: number
}

interface UndoneSessionTurn {
  readonly session: string
  readonly turn: string
  readonly text: string
  /** The turn after which the conversation continues; `undefined`: it begins again. */
  readonly head: string | undefined
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
  /** Used by sessions that choose no other. */
  readonly current: boolean
  /** Ids of the models that are asked while its provider fails, in this order. Absent: none. */
  readonly fallback?: readonly string[]
  /** Learned from what the provider reported: reported ÷ estimated prompt tokens, and how many calls taught it. */
  readonly calibration?: { readonly counter: string; readonly ratio: number; readonly samples: number }
  /** Learned from one answer of its provider, and kept for an hour: a smaller limit than the model is known for. */
  readonly limit?: LearnedLimit & { readonly sentence: string }
}

/** A limit of a model that an answer of its provider has shown. Only what was proven, and not for long. */
export interface LearnedLimit {
  /** The window that the provider itself named, tokens. */
  readonly window?: number
  /** The most that a prompt may come to by our counter: one token less was not refused, or so much was read. Tokens. */
  readonly prompt?: number
  /** Which answer showed it: a refusal that named its limit, one that named none, or a report of fewer tokens than were sent. */
  readonly from: 'named-limit' | 'refused-size' | 'short-report'
  /** The call that was answered so. */
  readonly call?: string
  /** ISO 8601. After `until` the model is taken at its known window again. */
  readonly since: string
  readonly until: string
}

/** One model as a call would find it now. */
export interface ModelView {
  readonly id: string
  readonly facts: ModelFacts
  /** Prompt and answer together, tokens: what its server is known to accept. */
  readonly window: number
  /** Room that is kept for an answer, tokens. */
  readonly reserve: number
}

/** A tool, and whether the model may call it. */
export interface ToolStatus {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** The plugin it comes from; `foreword` for its own. */
  readonly from: string
  readonly access: 'allowed' | 'ask' | 'refused'
  readonly rule: string
  /** The sentence of a refusal. */
  readonly reason?: string
  /** What happens to a call that is asked for after the model has read texts of others. */
  readonly afterUntrusted?: ToolAfterUntrusted
  /** Offered only where this layer is sent in this form. */
  readonly offeredWith?: OfferedWith
  /** Offered only while something is so, and whether it is so now. */
  readonly offeredWhile?: { readonly what: string; readonly isSo: boolean }
  /** Made for each session that it is of use in: `sessions that …`. Any session where absent. */
  readonly offeredIn?: string
  /** Its definition has changed since it was accepted. */
  readonly withheld?: WithheldTool
}

/** What decides about calls of a tool after texts of others. */
export interface ToolAfterUntrusted {
  readonly value: AfterUntrusted
  /** The setting that decided, such as `tools.mail.afterUntrusted`; absent where the tool itself decides. */
  readonly rule?: string
  /** What the tool itself says, where nothing is set. */
  readonly own: 'ask' | 'allow'
  /** It decides only about addresses that nobody named. */
  readonly addresses?: true
  /** It does not decide about programs that the sandbox keeps in the workspace and from the network. */
  readonly unlessConfined?: true
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

/** A definition that has changed since it was accepted. */
export interface WithheldTool {
  readonly name: string
  /** `undefined`: the tool is new. */
  readonly accepted: ToolDefinition | undefined
  /** `undefined`: the tool is gone. */
  readonly offered: ToolDefinition | undefined
  /** SHA-256 of what is offered now. */
  readonly digest: string
  /** What declares it, where that is accepted as a whole, with all of its tools. */
  readonly declared?: WithheldDeclaration
}

/** Files that are not the ones that were accepted. */
export interface WithheldDeclaration {
  /** `prompt`: a file that a model reads as instructions. It declares no tool; the entry has its name. */
  readonly kind: 'declaration' | 'prompt'
  /** By which it is accepted; no other has it. */
  readonly name: string
  /** The text that was accepted; `undefined` where there was none. */
  readonly accepted: string | undefined
  readonly offered: string
  /** What it lets through, in sentences. */
  readonly words: readonly string[]
}
