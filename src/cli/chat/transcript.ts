import { Writable } from 'node:stream'
import type { Output } from '../../capability.ts'

/** What a talk has said: whole lines go into the terminal's own scrollback, the unfinished one stays with the live lines. */
export interface Transcript {
  /** Where commands and answers are written. */
  readonly output: Output
  /** Where whole lines are written that must not end the unfinished one: they stand above it. */
  readonly aside: Output
  /** The line that has no end yet. */
  readonly unfinished: () => string
  /** Ends the unfinished line, if there is one. */
  readonly finish: () => void
  /** The same, and what is written to `output` from now on is not shown. */
  readonly close: () => void
}

export interface TranscriptOptions {
  /** Given whole lines, each with its `\n`. */
  readonly onLines: (lines: string) => void
  /** The unfinished line is another one. */
  readonly onChange: () => void
  readonly columns: () => number
}

/** Characters of an unfinished line: it is drawn again with each word that comes, so it cannot grow without end. */
const MOST = 16_000

/** The erase of a line by `statusLine`: it takes the unfinished line back. */
const ERASE = '\r\u001B[2K'

export function createTranscript({ onLines, onChange, columns }: TranscriptOptions): Transcript {
  let open = ''
  let closed = false

  function take(text: string): void {
    const erased = text.lastIndexOf(ERASE)
    if (erased !== -1) {
      const before = open + text.slice(0, erased)
      open = before.slice(0, before.lastIndexOf('\n') + 1)
    }
    open += erased === -1 ? text : text.slice(erased + ERASE.length)
    const end = open.lastIndexOf('\n') + 1
    const lines = open.slice(0, end)
    const look = lookAtEnd(lines)
    open = open.slice(end) === '' ? '' : look + open.slice(end)
    if (lines === '') return open.length > MOST ? take('\n') : onChange()
    onLines(look === '' ? lines : `${lines.slice(0, -1)}${RESET}\n`)
  }

  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      if (!closed) take(chunk.toString())
      done()
    },
  })
  function finish(): void {
    if (open !== '') take('\n')
  }

  let part = ''
  const aside = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const text = part + chunk.toString()
      const end = text.lastIndexOf('\n') + 1
      part = text.slice(end)
      if (end > 0) onLines(text.slice(0, end))
      done()
    },
  })
  const asTerminal = (to: Writable) =>
    Object.defineProperty(Object.assign(to, { isTTY: true }), 'columns', { get: columns })
  return {
    output: asTerminal(stream),
    aside: asTerminal(aside),
    unfinished: () => open,
    finish,
    close() {
      finish()
      closed = true
    },
  }
}

const RESET = '\u001B[0m'

/** The looks that are still on at the end of a text, as the sequences that switch them on. */
export function lookAtEnd(text: string): string {
  const on: string[] = []
  // oxlint-disable-next-line no-control-regex -- sequences that set looks
  for (const [sequence, code] of text.matchAll(/\u001B\[(\d*)m/g)) {
    if (/^(?:0?|22|39)$/.test(code!)) on.length = 0
    else on.push(sequence)
  }
  return on.join('')
}
