import { width } from './io.ts'
import type { Io } from '../capability.ts'
import { styled } from './style.ts'
import { oneLine } from './table.ts'

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
      const line = oneLine(text, Math.max(20, width(io) - 1))
      if (line === shown) return
      shown = line
      io.stderr.write(`\r\u001B[2K${styled(io, 'dim', line, io.stderr)}`)
    },
    clear() {
      if (shown !== '') io.stderr.write('\r\u001B[2K')
      shown = ''
    },
  }
}
