import type { CallParameters } from '../../model.ts'
import type { CallWarning, Entry, CitationSource, InputBudget, TurnOutcome } from '../../session.ts'
import type { RuntimeErrorCode } from '../runtime-error.ts'

/** A message of a person, with its options. */
export interface SubmitInput {
  /** A new session is made where absent. */
  readonly session?: string
  /** The session that a new one continues. Rejects with `not-found`. */
  readonly after?: string
  /** The turn that it follows, `null` for none; it begins a branch. Absent: the head of the session. */
  readonly from?: string | null
  readonly text: string
  readonly idempotencyKey?: string
  /** Ids by the name of the choice, for the session that is made for it. Rejects with `not-found`. */
  readonly choices?: Readonly<Record<string, string>>
  /** For this turn alone. */
  readonly model?: string
  /**
   * A second model, which answers the same message at the same time. Its answer is another branch; the conversation goes on
   * after the first one until it is moved. Neither may call a tool that does more than read.
   */
  readonly beside?: string
  /** The system prompt of this turn alone, in place of every other: the custom agent's, the edited and the packaged one. */
  readonly system?: string
  /** Ids of files, in the order in which they appear above the message. Files that are still being read are waited for. */
  readonly attachments?: readonly string[]
  readonly parameters?: CallParameters
  /** Limits of this input besides those of the configuration: a call that could pass one of them waits for the owner. */
  readonly budgets?: readonly InputBudget[]
  /** The name of the token that it came with; absent: the owner's. */
  readonly token?: string
  /** The channel that it came from, such as `telegram`. */
  readonly channel?: string
  /** `traceparent` of the request that it came with (W3C Trace Context), as `readTraceparent` gives it. */
  readonly trace?: string
  /** `fail`: a model server of this machine that does not run ends the turn at once. Absent: it is asked again for a while. */
  readonly whenRefused?: 'fail'
}

/** What a message that waits shall be from now on, as a whole. */
export interface MessageEdit extends Pick<SubmitInput, 'text' | 'attachments'> {
  /** `seq` of the entry with the words that were read: its `input`, or its newest `edit`. Absent: whatever it says now. */
  readonly base?: number
}

/** Accepted input in the log, and the turn that answers it. */
export interface SubmittedTurn {
  readonly session: string
  readonly turn: string
  readonly seq: number
  /** The turn of the second model. */
  readonly beside?: string
  /** The same key was admitted before; this is that turn. */
  readonly repeated: boolean
}

export interface EventsOptions {
  /** The id of the last event that was seen. Absent: from the beginning; `live`: only what comes. */
  readonly after?: string
  readonly turn?: string
  readonly signal?: AbortSignal
}

/**
 * `entry` events are definitive and come from the log. Deltas and retries are provisional: the `message` entry that follows
 * contains the whole text and replaces them. An id names exactly what a reader has received: everything up to the entry `SEQ`, and in `SEQ.N` the first N
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
  /** The call failed before its first word and is made again after a wait, unless the turn is cancelled meanwhile. */
  | ({ readonly id: string; readonly turn: string } & RetryNotice)
  /**
   * The turn stops: because the disk is full, then it resumes as soon as the log can be written again; or because the
   * gateway stops, then at its next start.
   */
  | {
      readonly id: string
      readonly type: 'interrupted'
      readonly turn: string
      readonly code: RuntimeErrorCode
      readonly message: string
    }

/** Totals over the calls of a turn: billed tokens, not the prompt size of any one call. */
export interface TurnTotals {
  readonly calls: number
  readonly promptTokensBilled: number | undefined
  readonly cachedTokensBilled: number | undefined
  readonly outputTokensBilled: number | undefined
}

/** A settled or running turn, for an endpoint or a command. */
export interface TurnView {
  readonly session: string
  readonly turn: string
  readonly outcome: TurnOutcome | undefined
  /** How it ended, for a person; absent where it ended well, or runs. */
  readonly notice?: string
  readonly text: string
  /** What its answers cite, each number once, in their order; absent where they cite nothing. */
  readonly citations?: readonly CitationSource[]
  readonly calls: readonly string[]
  readonly totals: TurnTotals
  /** Warnings about its calls. Their answers are kept. */
  readonly warnings: readonly CallWarning[]
}

/** A model call failed before its first word and is made again after a wait, or another model is asked. */
export interface RetryNotice {
  readonly type: 'retry'
  /** Absent before the first call of a turn: its model could not be asked about. */
  readonly call?: string
  /** Which try comes next, from 2 on. */
  readonly attempt: number
  /** Until then, ms. */
  readonly waitMs: number
  /** What was wrong with the last one: a code for programs, and a sentence. */
  readonly code: string
  readonly message: string
  /** The fallback that is asked now. Absent: the same model is asked again. */
  readonly model?: string
}
