import type { Io } from '../capability.ts'
import { applyStyle, safeForTerminal, width } from './io.ts'
import { sizeText } from './state-text.ts'
import { singleLine } from './table.ts'

/** A line at the end of a terminal that shows progress. Nothing is shown elsewhere. */
export interface StatusLine {
  readonly show: (text: string) => void
  readonly clear: () => void
}

export function statusLine(io: Io): StatusLine {
  if (io.stderr.isTTY !== true) return { show: () => {}, clear: () => {} }
  let shown = ''
  return {
    show(text) {
      const line = singleLine(safeForTerminal(text, io.stderr), Math.max(20, width(io) - 1))
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

interface Progress {
  readonly stage: string
  readonly done?: number
  readonly all?: number
}

/** A status line that shows the stage of a task and its percentage. */
export function progressLine(io: Io): { readonly show: (progress: Progress) => void; readonly clear: () => void } {
  const line = statusLine(io)
  return {
    show: ({ stage, done, all }) =>
      line.show(`${stage}${done === undefined || all === undefined ? ' …' : share(done, all)}`),
    clear: line.clear,
  }
}

function share(done: number, all: number): string {
  const percent = all === 0 ? 100 : Math.min(100, Math.floor((done / all) * 100))
  return `: ${percent} % of ${sizeText(all)}`
}
