import { ProcessTerminal, TuiMainScreen, visibleWidth } from '@earendil-works/pi-tui'
import type { Io } from '../../capability.ts'
import { Writable } from 'node:stream'
import type { RedrawingOutput } from '../rendered-answer.ts'

/** `live` returns the lines below the transcript, none wider than `columns`. Only they are redrawn. */
export function openScreen(io: Io, live: (columns: number) => readonly string[]) {
  const terminal = io.terminal ?? new ProcessTerminal()
  const tui = new TuiMainScreen(terminal)
  const rowsOf = createRowWrapper()
  let running = false

  const said = createTranscript({
    onLines: above,
    onChange: () => tui.requestRender(),
    columns: () => terminal.columns,
  })

  tui.addChild({
    invalidate() {},
    render(columns) {
      const rows = [...rowsOf(said.unfinished(), columns), ...said.redrawn(), ...live(columns)].map((line) =>
        line.trimEnd(),
      )
      return rows.slice(-Math.max(1, terminal.rows - 1))
    },
  })

  /** The sequence that moves to the first live line and clears from there. */
  function erased(rowsAbove: number): string {
    return `${rowsAbove > 0 ? `\u001B[${rowsAbove}A` : ''}\r\u001B[J`
  }

  function above(lines: string): void {
    if (!running) return
    const { hardwareCursorRow } = tui.captureRenderState()
    terminal.write(`${TOGETHER}${erased(hardwareCursorRow)}${lines.replaceAll('\n', '\r\n')}`)
    tui.restoreRenderState(BLANK)
    tui.renderNow()
    terminal.write(DONE)
  }

  /** A narrower terminal has wrapped the live lines; the library would clear the whole transcript. */
  function resized(): void {
    const { previousLines, hardwareCursorRow } = tui.captureRenderState()
    const rows = previousLines
      .slice(0, hardwareCursorRow)
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleWidth(line) / terminal.columns)), 0)
    terminal.write(erased(rows))
    tui.restoreRenderState(BLANK)
  }

  const startTerminal = terminal.start.bind(terminal)
  terminal.start = (onInput, onResize) =>
    startTerminal(onInput, () => {
      if (running) resized()
      onResize()
    })

  function stop(): void {
    if (!running) return
    said.finish()
    running = false
    process.off('exit', stop)
    terminal.write(erased(tui.captureRenderState().hardwareCursorRow))
    tui.restoreRenderState(BLANK)
    tui.stop()
  }

  return {
    tui,
    output: said.output,
    /** The same for whole lines that must not interrupt a streaming answer: they appear above its current line. */
    aside: said.aside,
    /** Ends the current line of an answer and hides the rest of it. `aside` stays visible. */
    endOutput: said.close,
    changed: () => tui.requestRender(),
    start() {
      running = true
      process.on('exit', stop)
      tui.start()
    },
    /** Removes the live lines and restores the terminal. Does nothing the second time. */
    stop,
    /** Waits for pending keys, so that the shell does not read them. */
    drain: () => terminal.drainInput(),
  }
}

const TOGETHER = '\u001B[?2026h'
const DONE = '\u001B[?2026l'

const BLANK = {
  previousLines: [],
  previousWidth: 0,
  previousHeight: 0,
  cursorRow: 0,
  hardwareCursorRow: 0,
  maxLinesRendered: 0,
  previousViewportTop: 0,
}

/** Splits a line into rows as a terminal wraps it: by cells. For a line that grows, only the new part is wrapped. */
export function createRowWrapper(): (line: string, columns: number) => readonly string[] {
  let known = { line: '', columns: 0, rows: [] as readonly string[], lastBegins: 0 }

  return (line, columns) => {
    const goesOn = known.columns === columns && known.rows.length > 0 && line.startsWith(known.line)
    const rows = goesOn ? known.rows.slice(0, -1) : []
    let begins = goesOn ? known.lastBegins : 0
    let look = rows.length > 0 ? lookAtEnd(rows.at(-1)!) : ''
    let row = look
    let cells = 0
    let at = begins
    for (const piece of piecesOf(line.slice(begins))) {
      const width = visibleWidth(piece)
      if (cells + width > columns && cells > 0) {
        rows.push(row)
        look = lookAtEnd(row)
        row = look
        cells = 0
        begins = at
      }
      row += piece
      cells += width
      at += piece.length
    }
    if (row !== look) rows.push(row)
    known = { line, columns, rows, lastBegins: begins }
    return rows
  }
}

const graphemes = new Intl.Segmenter()

/** Graphemes, and the escape sequences that set colours. */
function* piecesOf(text: string): Generator<string> {
  // oxlint-disable-next-line no-control-regex -- sequences that set colours
  for (const part of text.split(/(\u001B\[\d*m)/)) {
    if (part.startsWith('\u001B')) yield part
    else for (const { segment } of graphemes.segment(part)) yield segment
  }
}

interface TranscriptOptions {
  /** Called with whole lines, each with its `\n`. */
  readonly onLines: (lines: string) => void
  readonly onChange: () => void
  readonly columns: () => number
}

/** The longest unfinished line, in characters: it is redrawn with each new word. */
const MOST = 16_000

/** The sequence with which `statusLine` erases a line. It removes the unfinished line. */
const ERASE = '\r\u001B[2K'

/** The output of a chat: whole lines go to the scrollback of the terminal, the unfinished line stays with the live lines. */
export function createTranscript({ onLines, onChange, columns }: TranscriptOptions) {
  let open = ''
  let redrawn: readonly string[] = []
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
    const lines = redrawn
    redrawn = []
    if (lines.length > 0) take(`${lines.join('\n')}\n`)
  }

  function redraw(lines: readonly string[]): void {
    if (closed) return
    redrawn = lines
    onChange()
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
    output: Object.assign(asTerminal(stream), { redraw } satisfies RedrawingOutput),
    /** The output for whole lines that appear above the unfinished line without ending it. */
    aside: asTerminal(aside),
    unfinished: () => open,
    /** The lines below it that the writer draws again each time. */
    redrawn: () => redrawn,
    finish,
    /** The same, and hides what is written to `output` afterwards. */
    close() {
      finish()
      closed = true
    },
  }
}

const RESET = '\u001B[0m'

/** The escape sequences of the colours that are still on at the end of a text. */
function lookAtEnd(text: string): string {
  const on: string[] = []
  // oxlint-disable-next-line no-control-regex -- sequences that set colours
  for (const [sequence, code] of text.matchAll(/\u001B\[(\d*)m/g)) {
    if (/^(?:0?|2[2-4]|39)$/.test(code!)) on.length = 0
    else on.push(sequence)
  }
  return on.join('')
}
