import type { WaitingApproval } from '../../runtime.ts'
import type { ApprovalDecision } from '../../session.ts'
import { note, print } from '../io.ts'
import type { Io } from '../../capability.ts'
import type { LineReader } from '../line-reader.ts'
import { styled } from '../style.ts'
import { callText } from './call-text.ts'

/**
 * Shows a call on the terminal and asks what shall become of it. `undefined`: nobody decided, because the question was
 * taken back or the input has ended.
 */
export async function askPerson(
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
