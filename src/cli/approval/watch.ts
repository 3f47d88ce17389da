import type { WaitingApproval } from '../../runtime.ts'
import type { Connection, Io } from '../../capability.ts'
import { note } from '../io.ts'
import { waitingLine } from './waiting.ts'

/** What is done about calls that wait for a person while their turn is followed. */
export interface Watch {
  /** A call waits. `leave` ends the following: the turn stays as it is. */
  readonly asked: (waits: WaitingApproval, leave: () => void) => void
  /** The question about a call stands no more: somebody `decided`, here or elsewhere, or the call has ended. */
  readonly settled: (toolCallId: string, decided: boolean) => void
  /** Takes back what is still asked. */
  readonly over: () => void
}

/**
 * Where nobody can be asked: says for each call how it is decided. A turn in a gateway of its own is waited for; one in
 * this very process could not go on by itself, so it is left as it is, on disk.
 */
export function absentWatch(connection: Connection, io: Io): Watch {
  return {
    asked(waits, leave) {
      if (connection.inProcess) leave()
      else note(io, waitingLine(waits))
    },
    settled() {},
    over() {},
  }
}
