import type { WaitingApproval } from '../../runtime.ts'
import type { Connection, Io } from '../../capability.ts'
import { CommandFailure } from '../failure.ts'
import { note } from '../io.ts'
import { styled } from '../style.ts'
import { askPerson } from './ask-person.ts'
import type { Asking } from './asking.ts'
import { decide, waitingLine } from './waiting.ts'
import type { Watch } from './watch.ts'

/** Asks on the terminal, one question after another, while the turn is followed on: somebody else may be quicker. */
export function personWatch(connection: Connection, io: Io, asking: Asking): Watch {
  /** By the id of the call. */
  const open = new Map<string, AbortController>()
  let questions: Promise<void> = Promise.resolve()

  async function settle(waits: WaitingApproval, taken: AbortController, leave: () => void): Promise<void> {
    if (taken.signal.aborted) return
    const decision = await asking((ask) => askPerson(waits, io, ask, taken.signal))
    if (taken.signal.aborted) return
    open.delete(waits.toolCallId)
    if (decision === undefined) leave()
    else await decide(connection, waits, decision)
  }

  return {
    asked(waits, leave) {
      const taken = new AbortController()
      open.set(waits.toolCallId, taken)
      questions = questions
        .then(() => settle(waits, taken, leave))
        .catch((error: unknown) => tell(error, waits, io, leave))
    },
    settled(toolCallId, decided) {
      const taken = open.get(toolCallId)
      if (taken === undefined) return
      open.delete(toolCallId)
      taken.abort()
      if (decided) note(io, styled(io, 'dim', '(decided elsewhere)', io.stderr))
    },
    over() {
      for (const taken of open.values()) taken.abort()
      open.clear()
    },
  }
}

/** Somebody was quicker; the turn may be over already. */
const DECIDED = new Set(['decided', 'not-found'])

/** A decision that did not arrive. Where somebody was quicker, the turn goes on all the same. */
function tell(error: unknown, waits: WaitingApproval, io: Io, leave: () => void): void {
  const message = error instanceof Error ? error.message : String(error)
  note(io, styled(io, 'red', message, io.stderr))
  if (error instanceof CommandFailure && DECIDED.has(error.code)) return
  note(io, waitingLine(waits))
  leave()
}
