import type { CallOutcome, CallRecord } from '../entry.ts'

/** The calls of models, as the ledger keeps them. */
export interface CallStore {
  /** `conflict` when a call of this id is known. */
  putCall(record: CallRecord): Promise<void>
  /** `not-found` when no call of this id is known. */
  finishCall(id: string, outcome: CallOutcome): Promise<void>
  call(id: string): Promise<CallRecord | undefined>
  /** Calls of a session in the order they were made. */
  calls(session: string, options?: CallsOptions): Promise<readonly CallRecord[]>
  /** Calls of every session and of none, newest first; with `beginning` only those whose id begins so, by id. */
  findCalls(options: { limit: number; beginning?: string | undefined }): Promise<readonly CallRecord[]>
}

/** `last`: the newest n. `after` and `limit`: the n calls that follow the one of this id. */
export interface CallsOptions {
  readonly last?: number
  readonly after?: string
  readonly limit?: number
}
