/** A model call failed before its first word and is made again after a wait. */
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
}
