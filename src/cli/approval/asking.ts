import type { CommandCall, Io } from '../../capability.ts'
import type { Purpose } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { type LineReader, lineReader } from '../line-reader.ts'

/** How questions reach a person: `question` is called with a way to ask, which is there until it resolves. */
export type Questioner = <T>(question: (ask: LineReader['ask']) => Promise<T>) => Promise<T>

/** Whether there is a person here, at a terminal. */
export function isInteractive(io: Io): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true
}

/** Questions in the midst of a talk: through its own reader. */
export function questionerOver(reader: LineReader): Questioner {
  return (question) => question(reader.ask)
}

/** Questions where nothing else is typed. While one stands, Ctrl-C comes to `interrupt` rather than as a signal. */
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

/** A question that is answered with yes or no. Everything but yes is no, and so is the end of the input. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  const gone = new AbortController()
  const asking = standaloneQuestioner(io, () => gone.abort())
  const answer = await asking((ask) => ask(`${question} [y/n]: `, gone.signal))
  return ['y', 'yes'].includes(answer?.trim().toLowerCase() ?? '')
}

/** Whether a person says yes to what was shown: with `--yes`, or on the terminal. Throws where there is no terminal to ask on. */
export async function personAgrees(question: string, call: CommandCall, io: Io): Promise<boolean> {
  if (call.has('yes')) return true
  if (call.json) throw usageFailure('With --json no question is asked.', 'Write `--yes` to do it without asking.')
  if (!isInteractive(io))
    throw usageFailure('There is no terminal to ask on.', 'Write `--yes` to do it without asking.')
  return await confirm(io, question)
}

/** A call that cannot come to a yes only looks. */
export function purposeOf(call: CommandCall, io: Io): Purpose {
  return call.has('yes') || (!call.json && isInteractive(io)) ? 'write' : 'read'
}
