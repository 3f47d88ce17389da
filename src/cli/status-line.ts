import type { Io } from '../capability.ts'
import { applyStyle, width } from './io.ts'
import { sizeText } from './state-text.ts'
import { singleLine } from './table.ts'

/** A line below everything else that says what is going on, on a terminal; elsewhere nothing is said. */
export interface StatusLine {
  readonly say: (text: string) => void
  /** Leaves no trace. */
  readonly clear: () => void
}

export function statusLine(io: Io): StatusLine {
  if (io.stderr.isTTY !== true) return { say: () => {}, clear: () => {} }
  let shown = ''
  return {
    say(text) {
      const line = singleLine(text, Math.max(20, width(io) - 1))
      if (line === shown) return
      shown = line
      io.stderr.write(`\r\u001B[2K${applyStyle(io, 'dim', line, io.stderr)}`)
    },
    clear() {
      if (shown !== '') io.stderr.write('\r\u001B[2K')
      shown = ''
    },
  }
}

/** How far something long has come. */
interface Progress {
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
