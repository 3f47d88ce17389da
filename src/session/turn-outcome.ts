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
 * How a turn ended (BEHAVIOURS §1.6). Only an answer that its model ended by itself is `completed`. Logs from before these
 * outcomes existed have `completed`, `cancelled` and `failed` alone.
 */
export type TurnOutcome =
  | { readonly type: 'completed' }
  /** Cut at a limit. There are words. */
  | { readonly type: 'length'; readonly limit: AnswerLimit }
  /** No words at all, and no reasoning. `limit`: it was cut before there were any. */
  | { readonly type: 'empty'; readonly limit?: AnswerLimit }
  /** Reasoning and no words. */
  | { readonly type: 'reasoning-only'; readonly limit?: AnswerLimit }
  /** Stopped or refused by the content rules of the model or its provider, with or without words. */
  | { readonly type: 'content-filter' }
  /** There are words, and they ended for a reason that the provider did not name. */
  | { readonly type: 'other' }
  | { readonly type: 'cancelled' }
  /** A code for programs and a sentence for people. */
  | { readonly type: 'failed'; readonly code: string; readonly message: string }

/**
 * Which limit cut an answer: `tokens` is the provider's own word for it; the others are Foreword's bounds for an answer that
 * does not end: its characters, the size of one event of the stream, and its time.
 */
export type AnswerLimit = 'tokens' | 'characters' | 'event' | 'time'

/**
 * Why a message in the log is not a whole answer. `failed` is written no more; older logs have it where `interrupted`
 * is written now.
 */
export type PartialReason = 'interrupted' | Exclude<TurnOutcome['type'], 'completed'>
