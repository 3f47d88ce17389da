import type { Io } from '../../capability.ts'
import { type LineReader, lineReader } from '../line-reader.ts'

/** How questions reach a person: `question` is called with a way to ask, which is there until it resolves. */
export type Asking = <T>(question: (ask: LineReader['ask']) => Promise<T>) => Promise<T>

/** Whether there is a person here, at a terminal. */
export function personIsHere(io: Io): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true
}

/** Questions in the midst of a talk: through its own reader. */
export function askingThrough(reader: LineReader): Asking {
  return (question) => question(reader.ask)
}

/** Questions where nothing else is typed. While one stands, Ctrl-C comes to `interrupt` rather than as a signal. */
export function askingAlone(io: Io, interrupt: () => void): Asking {
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
export async function confirmed(io: Io, question: string): Promise<boolean> {
  const gone = new AbortController()
  const asking = askingAlone(io, () => gone.abort())
  const answer = await asking((ask) => ask(`${question} [y/n]: `, gone.signal))
  return ['y', 'yes'].includes(answer?.trim().toLowerCase() ?? '')
}
