/** A part of a text that belongs together: a heading, or lines up to the next blank one. */
export interface Block {
  readonly start: number
  readonly end: number
  /** Independent lines: list items, table rows, code. Split between lines rather than sentences. */
  readonly lined: boolean
  /** Of a heading, 1 to 6. */
  readonly level?: number
  /** Of a heading, without its marks, at most 160 characters. */
  readonly title?: string
}

/** Characters of a line that are enough to recognize its kind. */
const LINE_HEAD = 200
const LONGEST_TITLE = 160

const atxHeading = /^ {0,3}(#{1,6})(?:[ \t]+|$)/
const underline = /^ {0,3}(?:(={2,})|-{2,})[ \t]*$/
const fence = /^ {0,3}(`{3,}|~{3,})/
const listItem = /^\s*(?:[-*+•]|\d{1,9}[.)])\s/
const tableRow = /^\s*\|/

/**
 * The blocks of a Markdown or plain text, in order. Only whitespace is between them. The time is linear in the
 * length of any text.
 */
export function* textBlocks(text: string): Generator<Block> {
  let open: { start: number; end: number; lined: boolean; lines: number } | undefined
  let fenced: { mark: string; start: number; end: number } | undefined
  for (const line of eachLine(text)) {
    const head = text.slice(line.start, Math.min(line.end, line.start + LINE_HEAD))
    if (fenced) {
      fenced.end = trimmedEnd(text, fenced.end, line.end)
      if (!closes(head, fenced.mark)) continue
      yield { start: fenced.start, end: fenced.end, lined: true }
      fenced = undefined
      continue
    }
    const from = skipWhitespace(text, line.start, line.end)
    const end = trimmedEnd(text, from, line.end)
    const mark = fence.exec(head)?.[1]
    const level = atxHeading.exec(head)?.[1]?.length
    const under = open?.lines === 1 && !open.lined ? underline.exec(head) : null
    if (open && under && line.end - line.start < LINE_HEAD) {
      yield { ...headingBlock(text, open.start, open.end, under[1] ? 1 : 2), end }
      open = undefined
      continue
    }
    if (open && (from === end || mark || level)) {
      yield { start: open.start, end: open.end, lined: open.lined }
      open = undefined
    }
    if (mark) fenced = { mark, start: from, end }
    else if (level) yield headingBlock(text, from, end, level)
    else if (open) open = { ...open, end, lines: open.lines + 1 }
    else if (from < end) open = { start: from, end, lined: listItem.test(head) || tableRow.test(head), lines: 1 }
  }
  if (fenced) yield { start: fenced.start, end: fenced.end, lined: true }
  if (open) yield { start: open.start, end: open.end, lined: open.lined }
}

/** Lines without their line breaks. */
function* eachLine(text: string): Generator<{ readonly start: number; readonly end: number }> {
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

function headingBlock(text: string, start: number, end: number, level: number): Block {
  const title = text
    .slice(start, Math.min(end, start + LONGEST_TITLE))
    .replace(/^#{1,6}/, '')
    .replace(/[ \t]#+$/, '')
    .trim()
    .toWellFormed()
  return { start, end, lined: false, level, title }
}

/** Whether a character code is whitespace, as `String.trim` defines it. */
export function isWhitespace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code < 0xa0) return false
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  )
}

/** The first position from `start` on that is not whitespace, or `end`. */
export function skipWhitespace(text: string, start: number, end: number): number {
  let at = start
  while (at < end && isWhitespace(text.charCodeAt(at))) at += 1
  return at
}

/** The position behind the last character before `end` that is not whitespace, or `start`. */
export function trimmedEnd(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isWhitespace(text.charCodeAt(at - 1))) at -= 1
  return at
}
