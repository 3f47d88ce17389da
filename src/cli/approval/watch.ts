import type { Connection, Io } from '../../capability.ts'
import { errorMessage } from '../../platform.ts'
import type { WaitingApproval } from '../../runtime.ts'
import type { ApprovalDecision } from '../../session.ts'
import { CommandFailure } from '../failure.ts'
import { note, print, styled } from '../io.ts'
import type { LineReader } from '../line-reader.ts'
import type { Questioner } from './asking.ts'
import { callText } from './call-text.ts'
import { decide, approvalNotice } from './waiting.ts'

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
export function unattendedWatch(connection: Connection, io: Io): Watch {
  return {
    asked(waits, leave) {
      if (connection.inProcess) leave()
      else note(io, approvalNotice(waits))
    },
    settled() {},
    over() {},
  }
}

/** A watch of a turn that can be left as it is while a call of it waits for a person. */
export interface LeavableWatch extends Watch {
  /** Ends the following of a turn that waits, so that turn and question stay. Answers false where nothing waits. */
  readonly leave: () => boolean
}

export function leavable(watch: Watch): LeavableWatch {
  /** How to leave, by the id of the call that waits. */
  const open = new Map<string, () => void>()
  return {
    asked(waits, leave) {
      open.set(waits.toolCallId, leave)
      watch.asked(waits, leave)
    },
    settled(toolCallId, decided) {
      open.delete(toolCallId)
      watch.settled(toolCallId, decided)
    },
    over() {
      open.clear()
      watch.over()
    },
    leave() {
      const [leave] = open.values()
      leave?.()
      return leave !== undefined
    },
  }
}

/** Asks on the terminal, one question after another, while the turn is followed on: somebody else may be quicker. */
export function personWatch(connection: Connection, io: Io, asking: Questioner): Watch {
  /** By the id of the call. */
  const open = new Map<string, AbortController>()
  let questions: Promise<void> = Promise.resolve()

  async function settle(waits: WaitingApproval, taken: AbortController, leave: () => void): Promise<void> {
    if (taken.signal.aborted) return
    const decision = await asking((ask) => askForDecision(waits, io, ask, taken.signal))
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
  const message = errorMessage(error)
  note(io, styled(io, 'red', message, io.stderr))
  if (error instanceof CommandFailure && DECIDED.has(error.code)) return
  note(io, approvalNotice(waits))
  leave()
}

/**
 * Shows a call on the terminal and asks what shall become of it. `undefined`: nobody decided, because the question was
 * taken back or the input has ended.
 */
export async function askForDecision(
  { request }: WaitingApproval,
  io: Io,
  ask: LineReader['ask'],
  signal?: AbortSignal,
): Promise<ApprovalDecision | undefined> {
  print(io, `${styled(io, 'yellow', 'A call waits for you:')}\n${callText(request, io)}`)
  for (;;) {
    const answer = await ask('[y] once  [s] for this session  [n] deny: ', signal, ANSWERS)
    if (answer === undefined) return undefined
    const word = answer.trim().toLowerCase()
    if (word === 'y' || word === 'yes') return { type: 'approve', scope: 'once' }
    if (word === 's' || word === 'session') return { type: 'approve', scope: 'session' }
    if (word === 'n' || word === 'no') return await denial(ask, signal)
    note(io, 'Type y, s or n.')
  }
}

const ANSWERS = ['y', 'yes', 's', 'session', 'n', 'no']

async function denial(ask: LineReader['ask'], signal?: AbortSignal): Promise<ApprovalDecision | undefined> {
  const reason = await ask('Why not? The model reads it (Enter says nothing): ', signal)
  if (reason === undefined) return undefined
  return reason.trim() === '' ? { type: 'deny' } : { type: 'deny', reason: reason.trim() }
}
