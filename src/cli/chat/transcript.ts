import { Writable } from 'node:stream'
import type { Output } from '../../capability.ts'

/** The output of a chat: whole lines go to the scrollback of the terminal, the unfinished line stays with the live lines. */
export interface Transcript {
  readonly output: Output
  /** The output for whole lines that appear above the unfinished line without ending it. */
  readonly aside: Output
  /** The line without a line break so far. */
  readonly unfinished: () => string
  readonly finish: () => void
  /** The same, and hides what is written to `output` afterwards. */
  readonly close: () => void
}

export interface TranscriptOptions {
  /** Called with whole lines, each with its `\n`. */
  readonly onLines: (lines: string) => void
  readonly onChange: () => void
  readonly columns: () => number
}

/** The longest unfinished line, in characters: it is redrawn with each new word. */
const MOST = 16_000

/** The sequence with which `statusLine` erases a line. It removes the unfinished line. */
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

/** The escape sequences of the colours that are still on at the end of a text. */
export function lookAtEnd(text: string): string {
  const on: string[] = []
  // oxlint-disable-next-line no-control-regex -- sequences that set colours
  for (const [sequence, code] of text.matchAll(/\u001B\[(\d*)m/g)) {
    if (/^(?:0?|22|39)$/.test(code!)) on.length = 0
    else on.push(sequence)
  }
  return on.join('')
}
