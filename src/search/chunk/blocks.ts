import { inkEnd, inkStart } from './ink.ts'

/** What stands together in a text: a heading, or lines up to the next blank one. */
export interface Block {
  readonly start: number
  readonly end: number
  /** Lines that each stand for themselves: list items, table rows, code. Torn between lines rather than sentences. */
  readonly lined: boolean
  /** Of a heading, 1 to 6. */
  readonly level?: number
  /** Of a heading, without its marks, shortened. */
  readonly title?: string
}

/** As much of a line as it takes to see what it is. */
const LINE_HEAD = 200
const LONGEST_TITLE = 160

const atxHeading = /^ {0,3}(#{1,6})(?:[ \t]+|$)/
const underline = /^ {0,3}(?:(={2,})|-{2,})[ \t]*$/
const fence = /^ {0,3}(`{3,}|~{3,})/
const listItem = /^\s*(?:[-*+•]|\d{1,9}[.)])\s/
const tableRow = /^\s*\|/

/**
 * The blocks of a Markdown or plain text, in order. Between them is nothing but blank characters. Takes time linear in the
 * length, whatever the text is.
 */
export function* blocksOf(text: string): Generator<Block> {
  let open: { start: number; end: number; lined: boolean; lines: number } | undefined
  let fenced: { mark: string; start: number; end: number } | undefined
  for (const line of linesOf(text)) {
    const head = text.slice(line.start, Math.min(line.end, line.start + LINE_HEAD))
    if (fenced) {
      fenced.end = inkEnd(text, fenced.end, line.end)
      if (!closes(head, fenced.mark)) continue
      yield { start: fenced.start, end: fenced.end, lined: true }
      fenced = undefined
      continue
    }
    const ink = inkStart(text, line.start, line.end)
    const end = inkEnd(text, ink, line.end)
    const mark = fence.exec(head)?.[1]
    const level = atxHeading.exec(head)?.[1]?.length
    const under = open?.lines === 1 && !open.lined ? underline.exec(head) : null
    if (open && under && line.end - line.start < LINE_HEAD) {
      yield { ...headingOf(text, open.start, open.end, under[1] ? 1 : 2), end }
      open = undefined
      continue
    }
    if (open && (ink === end || mark || level)) {
      yield { start: open.start, end: open.end, lined: open.lined }
      open = undefined
    }
    if (mark) fenced = { mark, start: ink, end }
    else if (level) yield headingOf(text, ink, end, level)
    else if (open) open = { ...open, end, lines: open.lines + 1 }
    else if (ink < end) open = { start: ink, end, lined: listItem.test(head) || tableRow.test(head), lines: 1 }
  }
  if (fenced) yield { start: fenced.start, end: fenced.end, lined: true }
  if (open) yield { start: open.start, end: open.end, lined: open.lined }
}

/** Lines without what ends them. */
function* linesOf(text: string): Generator<{ readonly start: number; readonly end: number }> {
  let start = 0
  while (start < text.length) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    yield { start, end }
    start = end + 1
  }
}

/** A fence is closed by its own mark, at least as often. */
function closes(head: string, mark: string): boolean {
  const found = fence.exec(head)?.[1]
  return found !== undefined && found[0] === mark[0] && found.length >= mark.length && head.trim() === found
}

function headingOf(text: string, start: number, end: number, level: number): Block {
  const title = text
    .slice(start, Math.min(end, start + LONGEST_TITLE))
    .replace(/^#{1,6}/, '')
    .replace(/[ \t]#+$/, '')
    .trim()
    .toWellFormed()
  return { start, end, lined: false, level, title }
}
