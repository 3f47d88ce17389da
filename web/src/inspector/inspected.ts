import type { SessionProgram } from '../../../src/capability.ts'
import type { NextCall } from './next-call.ts'

export interface Inspected {
  readonly session: string | undefined
  /** The call that is open; absent: the next one. */
  readonly call: string | undefined
  readonly next: NextCall
  /** The program that made the calls, where that is another one: then there is no next call to look at. */
  readonly program?: SessionProgram | undefined
}
