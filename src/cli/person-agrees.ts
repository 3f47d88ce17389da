import { confirmed, personIsHere } from './approval/asking.ts'
import type { CommandCall, Io } from '../capability.ts'
import type { Purpose } from './connection.ts'
import { usageFailure } from './failure.ts'

/** Whether a person says yes to what was shown: with `--yes`, or on the terminal. Throws where there is no terminal to ask on. */
export async function personAgrees(question: string, call: CommandCall, io: Io): Promise<boolean> {
  if (call.has('yes')) return true
  if (call.json) throw usageFailure('With --json no question is asked.', 'Write `--yes` to do it without asking.')
  if (!personIsHere(io)) throw usageFailure('There is no terminal to ask on.', 'Write `--yes` to do it without asking.')
  return await confirmed(io, question)
}

/** A call that cannot come to a yes only looks. */
export function purposeOf(call: CommandCall, io: Io): Purpose {
  return call.has('yes') || (!call.json && personIsHere(io)) ? 'write' : 'read'
}
