import { sizeText } from '../state-text.ts'
import type { Io } from '../io.ts'
import { statusLine } from '../status-line.ts'

/** How far something long has come. */
export interface Progress {
  readonly stage: string
  /** Bytes; absent where nobody knows. */
  readonly done?: number
  readonly all?: number
}

/** Shows progress in one line on a terminal; elsewhere nothing. */
export function progressLine(io: Io): { readonly show: (progress: Progress) => void; readonly clear: () => void } {
  const line = statusLine(io)
  return {
    show: ({ stage, done, all }) =>
      line.say(`${stage}${done === undefined || all === undefined ? ' …' : share(done, all)}`),
    clear: line.clear,
  }
}

function share(done: number, all: number): string {
  const percent = all === 0 ? 100 : Math.min(100, Math.floor((done / all) * 100))
  return `: ${percent} % of ${sizeText(all)}`
}
