import type { GatewayConnection, Io } from '../../capability.ts'
import { errorMessage, serialQueue } from '../../platform.ts'
import type { WaitingApproval } from '../../runtime.ts'
import type { ApprovalDecision } from '../../session.ts'
import { CommandFailure } from '../failure.ts'
import { note, print, applyStyle } from '../io.ts'
import type { LineReader } from '../line-reader.ts'
import type { Questioner } from './asking.ts'
import { waitingCallText, decide, approvalNotice } from './waiting.ts'

/** What happens with calls that wait for a person while their turn is followed. */
export interface Watch {
  /** A call waits. `leave` stops following the turn, which stays as it is. */
  readonly asked: (waits: WaitingApproval, leave: () => void) => void
  /** The question about a call is closed: somebody `decided`, here or elsewhere, or the call has ended. */
  readonly settled: (toolCallId: string, decided: boolean) => void
  readonly over: () => void
}

/** For a process without a terminal: prints for each call how to decide it, and leaves its turn waiting on disk. */
export function unattendedWatch(connection: GatewayConnection, io: Io): Watch {
  return {
    asked(waits, leave) {
      if (connection.inProcess) leave()
      else note(io, approvalNotice(waits))
    },
    settled() {},
    over() {},
  }
}

/** A watch of a turn that can be left as it is while one of its calls waits for a person. */
export interface LeavableWatch extends Watch {
  /** Stops following a turn that waits, so that turn and question stay. Returns false where nothing waits. */
  readonly leave: () => boolean
}

export function leavable(watch: Watch): LeavableWatch {
  /** The `leave` functions by the id of the waiting call. */
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

/** Asks on the terminal, one question after another, while the turn is followed: somebody else may decide first. */
export function personWatch(connection: GatewayConnection, io: Io, asking: Questioner): Watch {
  const open = new Map<string, AbortController>()
  const questions = serialQueue()

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
      void questions
        .add(() => settle(waits, taken, leave))
        .catch((error: unknown) => reportError(error, waits, io, leave))
    },
    settled(toolCallId, decided) {
      const taken = open.get(toolCallId)
      if (taken === undefined) return
      open.delete(toolCallId)
      taken.abort()
      if (decided) note(io, '(decided elsewhere)', 'dim')
    },
    over() {
      for (const taken of open.values()) taken.abort()
      open.clear()
    },
  }
}

/** Codes of a decision that came too late: somebody else decided, or the turn is over. */
const DECIDED = new Set(['decided', 'not-found'])

/** Reports a decision that failed. If somebody else decided first, the turn continues anyway. */
function reportError(error: unknown, waits: WaitingApproval, io: Io, leave: () => void): void {
  const message = errorMessage(error)
  note(io, message, 'red')
  if (error instanceof CommandFailure && DECIDED.has(error.code)) return
  note(io, approvalNotice(waits))
  leave()
}

/** Shows a call and asks for a decision. `undefined`: the question was withdrawn, or the input has ended. */
export async function askForDecision(
  waits: WaitingApproval,
  io: Io,
  ask: LineReader['ask'],
  signal?: AbortSignal,
): Promise<ApprovalDecision | undefined> {
  const what = waits.held ? 'A call to a model waits for your approval:' : 'A call waits for your approval:'
  print(io, `${applyStyle(io, 'yellow', what)}\n${waitingCallText(waits, io)}`)
  const choices = waits.held
    ? '[y] this call  [s] raise the limit  [n] deny: '
    : `[y] once  [s] for this session  ${waits.grant === undefined ? '' : '[t] this tool in this session  '}[n] deny: `
  for (;;) {
    const answer = await ask(choices, signal, ANSWERS)
    if (answer === undefined) return undefined
    const word = answer.trim().toLowerCase()
    if (word === 'y' || word === 'yes') return { type: 'approve', scope: 'once' }
    if (word === 's' || word === 'session') return { type: 'approve', scope: 'session' }
    if (waits.grant !== undefined && (word === 't' || word === 'tool')) return { type: 'approve', scope: 'tool' }
    if (word === 'n' || word === 'no') return await denial(ask, signal, waits.held !== undefined)
    note(io, waits.grant === undefined ? 'Type y, s or n.' : 'Type y, s, t or n.')
  }
}

const ANSWERS = ['y', 'yes', 's', 'session', 't', 'tool', 'n', 'no']

async function denial(
  ask: LineReader['ask'],
  signal: AbortSignal | undefined,
  isHeld: boolean,
): Promise<ApprovalDecision | undefined> {
  // No model reads why a call to it was not made.
  if (isHeld) return { type: 'deny' }
  const reason = await ask('Reason for the model (Enter for none): ', signal)
  if (reason === undefined) return undefined
  return reason.trim() === '' ? { type: 'deny' } : { type: 'deny', reason: reason.trim() }
}
