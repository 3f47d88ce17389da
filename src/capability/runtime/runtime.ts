import type { Comparison } from '../../context.ts'
import type { Recall } from '../../search.ts'
import type { AuditVerdict, Binding, SessionRow, SessionStore } from '../../session.ts'
import type { ToolResult } from '../../tool.ts'
import type { ServiceKey } from '../service-key.ts'
import type { ChoiceOption } from '../session-choice.ts'
import type { PersonsDecision, WaitingApproval } from './approvals.ts'
import type { Preview, PreviewOptions, RebuiltRequest, Replay } from './calls.ts'
import type { CompletionEvent, CompletionInput } from './completions.ts'
import type { ModelStatus, ModelView } from './models.ts'
import type { Pairings } from './pairings.ts'
import type { NewSession, UndoneSessionTurn } from './sessions.ts'
import type { RuntimeStatus } from './status.ts'
import type { ToolStatus, ToolTrial } from './tools.ts'
import type { EventsOptions, SessionEvent, SubmitInput, Submitted } from './turns.ts'

/**
 * Many sessions over one home: what every host (HTTP, command line, channels) and every capability works with. Methods reject with
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
   * else takes it back, or says something, at the same moment.
   */
  undo(session: string): Promise<UndoneSessionTurn>
  deleteSession(session: string): Promise<boolean>

  /** What a capability returned from `start`; `undefined` where it is not in the list. */
  capability<Service>(key: ServiceKey<Service>): Service | undefined
  /** Chats that may talk here. */
  readonly pairings: Pairings
  /** What was said and done in sessions. A person may ask about all of them, a model about its own conversation. */
  readonly recall: Recall

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
