import type { ConnectionOptions } from './client.ts'

/** How often a process gives a sign of life, ms. */
export const SIGN_MS = 200
/** After how many that are missing it is taken for frozen or cut off. */
export const SILENT_SIGNS = 6

/** What the thread that gives the signs is started with. */
export interface SignsTask {
  readonly connection: ConnectionOptions
  /** Of its connection, by which others find it. */
  readonly name: string
  /** `STATE` and `ENDS`. */
  readonly shared: Int32Array
}

/** Where in the shared memory the state of the signs is, which the thread writes. */
export const STATE = 0
/** Where in the shared memory 1 is once the thread is to end. */
export const ENDS = 1

/** There is no connection yet, or it was refused. */
export const NONE = 0
export const GIVEN = 1
/** The database does not answer. */
export const UNANSWERED = 2
/** The connection is not the same one from sign to sign, so that nobody can conclude anything from them. */
export const MIXED = 3
