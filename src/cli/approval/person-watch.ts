import type { WaitingApproval } from '../../runtime.ts'
import type { Connection } from '../connection.ts'
import { CommandFailure } from '../failure.ts'
import { type Io, note } from '../io.ts'
import { styled } from '../style.ts'
import { askPerson } from './ask-person.ts'
import type { Asking } from './asking.ts'
import { decide, waitingLine } from './waiting.ts'
import type { Watch } from './watch.ts'

/** Asks on the terminal, one question after another, while the turn is followed on: somebody else may be quicker. */
export function personWatch(connection: Connection, io: Io, asking: Asking): Watch {
  const open = new Map<string, AbortController>()
  let questions: Promise<void> = Promise.resolve()

  async function settle(waits: WaitingApproval, signal: AbortSignal, leave: () => void): Promise<void> {
    if (signal.aborted) return
    const decision = await asking((ask) => askPerson(waits, io, ask, signal))
    const stillOpen = open.delete(waits.approval)
    if (!stillOpen) return
    if (decision !== undefined) return await decide(connection, waits, decision)
    note(io, '')
    leave()
  }

  return {
    asked(waits, leave) {
      const taken = new AbortController()
      open.set(waits.approval, taken)
      questions = questions
        .then(() => settle(waits, taken.signal, leave))
        .catch((error: unknown) => tell(error, waits, io, leave))
    },
    decided(approval) {
      const taken = open.get(approval)
      if (taken === undefined) return
      open.delete(approval)
      taken.abort()
      note(io, styled(io, 'dim', '\n(decided elsewhere)', io.stderr))
    },
    over() {
      for (const taken of open.values()) taken.abort()
      open.clear()
    },
  }
}

/** A decision that did not arrive. Where somebody was quicker, the turn goes on all the same. */
function tell(error: unknown, waits: WaitingApproval, io: Io, leave: () => void): void {
  const message = error instanceof Error ? error.message : String(error)
  note(io, styled(io, 'red', message, io.stderr))
  if (error instanceof CommandFailure && error.code === 'approval-changed') return
  note(io, waitingLine(waits))
  leave()
}
