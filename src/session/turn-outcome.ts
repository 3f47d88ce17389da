/** Every way in which a turn can end. */
export const turnOutcomeTypes = [
  'completed',
  'length',
  'empty',
  'reasoning-only',
  'content-filter',
  'other',
  'cancelled',
  'failed',
] as const

/**
 * How a turn ended (BEHAVIOURS §1.6). Only an answer that its model ended itself is `completed`. `cutCall`: the tool whose call
 * was being written when the answer was cut; it did not run.
 */
export type TurnOutcome =
  | { readonly type: 'completed' }
  /** The answer was cut at a limit. It has text. */
  | { readonly type: 'length'; readonly limit: AnswerLimit; readonly cutCall?: string }
  /** No text and no reasoning. `limit`: the answer was cut before its first text. */
  | { readonly type: 'empty'; readonly limit?: AnswerLimit; readonly cutCall?: string }
  /** Reasoning without text. */
  | { readonly type: 'reasoning-only'; readonly limit?: AnswerLimit; readonly cutCall?: string }
  /** Stopped or refused by the content rules of the model or its provider, with or without text. */
  | { readonly type: 'content-filter' }
  /** There is text, and it ended for a reason that the provider did not name. */
  | { readonly type: 'other' }
  | { readonly type: 'cancelled' }
  /** A code for programs and a sentence for people. */
  | { readonly type: 'failed'; readonly code: string; readonly message: string }

/**
 * The limit that cut an answer. `tokens` is reported by the provider; the others are Foreword's limits for an endless answer:
 * its characters, the size of one event of the stream, and its time.
 */
export type AnswerLimit = 'tokens' | 'characters' | 'event' | 'time'

/** Why a message in the log is incomplete. */
export type PartialReason = 'interrupted' | 'cut-call' | Exclude<TurnOutcome['type'], 'completed' | 'failed'>
