import type { CommandCall, Io } from '../../capability.ts'
import type { Purpose } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { note } from '../io.ts'
import { type LineReader, lineReader } from '../line-reader.ts'

/** How questions reach a person: calls `question` with a way to ask, which is valid until `question` resolves. */
export type Questioner = <T>(question: (ask: LineReader['ask']) => Promise<T>) => Promise<T>

export function isInteractive(io: Io): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true
}

export function questionerOver(reader: LineReader): Questioner {
  return (question) => question(reader.ask)
}

/** Asks with a reader of its own. While a question is open, Ctrl-C calls `interrupt` instead of sending a signal. */
export function standaloneQuestioner(io: Io, interrupt: () => void): Questioner {
  return async (question) => {
    const reader = lineReader(io, { history: [], onHistory: () => {}, onInterrupt: interrupt })
    try {
      return await question(reader.ask)
    } finally {
      reader.close()
    }
  }
}

/** Asks a question for yes or no, with one key. Anything but yes is no, and so is the end of the input. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  const gone = new AbortController()
  const asking = standaloneQuestioner(io, () => gone.abort())
  const answer = await asking((ask) => ask(`${question} [y/n]: `, gone.signal, ['y', 'yes', 'n', 'no']))
  return ['y', 'yes'].includes(answer?.trim().toLowerCase() ?? '')
}

/**
 * Whether a person agrees to what was shown, with `--yes` or on the terminal; where not, prints that it is `unchanged`.
 * Throws with `hint` where nobody can be asked.
 */
export async function confirmAction(
  question: string,
  unchanged: string,
  call: CommandCall,
  io: Io,
  hint = 'Add `--yes` to confirm.',
): Promise<boolean> {
  if (call.has('yes')) return true
  if (call.json) throw usageFailure('--json never asks.', hint)
  if (!isInteractive(io)) throw usageFailure('Cannot ask: standard input and output are not a terminal.', hint)
  const isAgreed = await confirm(io, question)
  if (!isAgreed) note(io, unchanged)
  return isAgreed
}

/** How to connect for a command that asks: only to read where nobody can confirm. */
export function connectionPurpose(call: CommandCall, io: Io): Purpose {
  return call.has('yes') || (!call.json && isInteractive(io)) ? 'write' : 'read'
}
