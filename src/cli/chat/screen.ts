import { ProcessTerminal, TuiMainScreen, visibleWidth } from '@earendil-works/pi-tui'
import type { Io, Output } from '../../capability.ts'
import { lookAtEnd, createTranscript } from './transcript.ts'

/** The terminal while people talk in it: what was said scrolls away above, a few live lines stand below it. */
interface Screen {
  readonly tui: TuiMainScreen
  /** Where everything is written that is to stay, between `start` and `stop`. */
  readonly output: Output
  /** The same for whole lines that must not break into an answer that comes: they stand above the line it is at. */
  readonly aside: Output
  /** Ends the line that an answer is at. What still comes of it is not shown: only `aside` is. */
  readonly endOutput: () => void
  /** The live lines are others. */
  readonly changed: () => void
  readonly start: () => void
  /** Takes the live lines away and gives the terminal back as it was. Does nothing the second time. */
  readonly stop: () => void
  /** Waits until keys that were on their way have come, so that no shell reads them. */
  readonly drain: () => Promise<void>
}

/**
 * `live` gives the lines below what was said, none wider than `columns`. Only they are ever drawn again: what was said
 * belongs to the terminal, which scrolls, wraps and copies it, and nothing of it is cleared by a resize.
 */
export function openScreen(io: Io, live: (columns: number) => readonly string[]): Screen {
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
      const rows = [...rowsOf(said.unfinished(), columns), ...live(columns)].map((line) => line.trimEnd())
      return rows.slice(-Math.max(1, terminal.rows - 1))
    },
  })

  /** Goes to the first live line and clears from there on. */
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

  /** A terminal that became narrower has wrapped the live lines; the library would clear everything that was ever said. */
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
    aside: said.aside,
    endOutput: said.close,
    changed: () => tui.requestRender(),
    start() {
      running = true
      process.on('exit', stop)
      tui.start()
    },
    stop,
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

/**
 * A line in rows, as a terminal wraps it: by cells, not by words. Made for a line that grows: what was wrapped before is not
 * wrapped again.
 */
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

/** Characters as a person sees them, and the sequences that set looks. */
function* piecesOf(text: string): Generator<string> {
  // oxlint-disable-next-line no-control-regex -- sequences that set looks
  for (const part of text.split(/(\u001B\[\d*m)/)) {
    if (part.startsWith('\u001B')) yield part
    else for (const { segment } of graphemes.segment(part)) yield segment
  }
}
