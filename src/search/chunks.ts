import type { Chunk } from './search-engine.ts'

export interface ChunkOptions {
  /** Offset in characters at which each page begins, ascending, the first 0. */
  readonly pages?: readonly number[]
  /** The most characters of a chunk. 1,000 unless given. */
  readonly size?: number
  /** The most characters that two parts of a split block share, up to an eighth of `size`. 60 unless given. */
  readonly overlap?: number
}

const DEFAULT_CHUNK_SIZE = 1_000
const DEFAULT_CHUNK_OVERLAP = 60
const SMALLEST_SIZE = 32

/**
 * Cuts a text into parts that can be found one by one. Sections, paragraphs, lists, tables and code stay whole where they
 * fit; longer ones are split between lines or sentences. `text.slice(start, end)` is the text of each chunk. Everything but
 * whitespace is in a chunk. The same text always gives the same chunks, in time linear in its length.
 *
 * @throws RangeError where `size` is below 32 or `overlap` below 0
 */
export function splitIntoChunks(text: string, options: ChunkOptions = {}): readonly Chunk[] {
  return [...eachChunk(text, options)]
}

/** The same chunks one by one, so that a caller can do other work in between. */
export function* eachChunk(text: string, options: ChunkOptions = {}): Generator<Chunk> {
  const { size = DEFAULT_CHUNK_SIZE, overlap = DEFAULT_CHUNK_OVERLAP } = options
  if (!(size >= SMALLEST_SIZE))
    throw new RangeError(`Invalid chunk size ${size}: it must be at least ${SMALLEST_SIZE} characters.`)
  if (!(overlap >= 0)) throw new RangeError(`Invalid chunk overlap ${overlap}: it must be 0 or more characters.`)
  const findPosition = positionReader(text, options.pages)
  for (const span of chunkSpans(text, Math.floor(size), Math.min(Math.floor(overlap), Math.floor(size / 8)))) {
    const start = skipWhitespace(text, span.start, span.end)
    const end = trimmedEnd(text, start, span.end)
    if (start === end) continue
    const position = findPosition(start)
    yield { id: `${start}-${end}`, text: text.slice(start, end), start, end, ...position, headings: span.headings }
  }
}

/** A block of text with the headings right above it. */
interface Unit {
  readonly start: number
  readonly end: number
  readonly lined: boolean
  readonly headings: readonly string[]
  /** Whether it has headings of its own. */
  readonly opens: boolean
}

type Span = Omit<Unit, 'opens'>

/** Share of `size` that makes a chunk of its own: a shorter part is joined with the next one. */
const ENOUGH = 1 / 3

/** A text that is shorter is one chunk of the usual size, however it is laid out. Characters. */
export const ALWAYS_ONE_CHUNK = DEFAULT_CHUNK_SIZE * ENOUGH

/** Joins units until a chunk is full, or until a section that is long enough ends. */
function* chunkSpans(text: string, size: number, overlap: number): Generator<Span> {
  let open: Span | undefined
  for (const unit of blockUnits(text, size)) {
    if (open && !joins(open, unit, size)) {
      yield open
      open = undefined
    }
    let span: Span = open
      ? { start: open.start, end: unit.end, lined: unit.lined, headings: shared(open.headings, unit.headings) }
      : unit
    while (span.end - span.start > size) {
      const cut = cutPosition(text, span, size)
      yield { ...span, end: cut }
      span = { ...span, start: overlapStart(text, span, cut, overlap), headings: unit.headings }
    }
    open = span
  }
  if (open) yield open
}

function joins(open: Span, unit: Unit, size: number): boolean {
  const enough = open.end - open.start >= size * ENOUGH
  if (unit.end - open.start <= size) return !(unit.opens && enough)
  return !unit.opens && !enough && unit.end - unit.start > size
}

/** Joins headings with the block below them. */
function* blockUnits(text: string, size: number): Generator<Unit> {
  let path: readonly Heading[] = []
  let above: Span | undefined
  for (const block of textBlocks(text)) {
    const { level, title = '' } = block
    if (level === undefined) {
      yield { ...block, start: above?.start ?? block.start, headings: titles(path), opens: above !== undefined }
      above = undefined
      continue
    }
    path = [...path.filter((heading) => heading.level < level), { level, title }]
    const headings = above ? shared(above.headings, titles(path)) : titles(path)
    above = { start: above?.start ?? block.start, end: block.end, lined: true, headings }
    if (above.end - above.start <= size / 2) continue
    yield { ...above, opens: true }
    above = undefined
  }
  if (above) yield { ...above, opens: true }
}

interface Heading {
  readonly level: number
  readonly title: string
}

function titles(path: readonly Heading[]): readonly string[] {
  return path.map((heading) => heading.title).filter((title) => title !== '')
}

/** The beginning that two heading paths have in common. */
function shared(one: readonly string[], other: readonly string[]): readonly string[] {
  const differs = one.findIndex((title, index) => title !== other[index])
  return differs === -1 ? one : one.slice(0, differs)
}

interface Position {
  /** From 1; absent where the document has no pages. */
  readonly page?: number
  /** From 1. */
  readonly line: number
}

/** Finds the page and line of positions. They must be asked for in ascending order; the text is read once. */
function positionReader(text: string, pages: readonly number[] = []): (start: number) => Position {
  let line = 1
  let page = 0
  let next = text.indexOf('\n')
  return (start) => {
    while (next !== -1 && next < start) {
      line += 1
      next = text.indexOf('\n', next + 1)
    }
    while (page < pages.length && pages[page]! <= start) page += 1
    return pages.length === 0 ? { line } : { page: Math.max(page, 1), line }
  }
}

/** A part of a text that is too long for one chunk. */
interface LongSpan {
  readonly start: number
  readonly end: number
  /** Split between lines rather than sentences. */
  readonly lined: boolean
}

// Made with the first text: every start of a program loads this file, and hardly any divides a text.
let sentences: Intl.Segmenter | undefined
let characters: Intl.Segmenter | undefined
/** Characters past the limit that are read, so that a sentence or character at the limit is seen whole. */
const LOOKAHEAD = 64

/**
 * Where to split a span so that its first part is at most `size` long: into parts of about equal length, at the end of a
 * line or a sentence, else at whitespace, else between two characters.
 */
function cutPosition(text: string, span: LongSpan, size: number): number {
  const { start, lined } = span
  const length = span.end - start
  const target = Math.ceil(length / Math.ceil(length / size))
  const low = start + Math.floor(target / 2)
  const high = Math.min(start + size, start + Math.ceil(target * 1.2))
  return (
    (lined ? lineEnd(text, low, high) : undefined) ??
    sentenceEnd(text, span, low, high) ??
    lineEnd(text, low, high) ??
    whitespaceEnd(text, low, high) ??
    characterEnd(text, start, high)
  )
}

/**
 * Where the part behind a cut begins: up to `overlap` characters before it, at the beginning of a line or a sentence, else
 * of a word. At the cut itself where none of these is near.
 */
function overlapStart(text: string, span: LongSpan, cut: number, overlap: number): number {
  if (overlap <= 0) return cut
  const from = cut - overlap
  const window = text.slice(from, cut)
  const line = window.indexOf('\n') + 1
  if (span.lined) return line > 0 && line < window.length ? from + line : cut
  const prose = unwrapped(text.slice(span.start, cut))
  const sentence = inSentences(prose).containing(from - span.start)
  const next = sentence ? span.start + sentence.index + sentence.segment.length : cut
  if (next < cut) return next
  const word = /\s\S/u.exec(window)
  return word ? from + word.index + 1 : cut
}

/** The last line end in the range, as the position behind it. */
function lineEnd(text: string, low: number, high: number): number | undefined {
  const found = text.slice(low, high).lastIndexOf('\n')
  return found === -1 ? undefined : low + found + 1
}

function sentenceEnd(text: string, span: LongSpan, low: number, high: number): number | undefined {
  const prose = unwrapped(text.slice(span.start, Math.min(span.end, high + LOOKAHEAD)))
  const sentence = inSentences(prose).containing(high - span.start)
  const end = span.start + (sentence?.index ?? 0)
  return end > low ? end : undefined
}

function whitespaceEnd(text: string, low: number, high: number): number | undefined {
  const found = text.slice(low, high).search(/\s\S*$/)
  return found === -1 ? undefined : low + found + 1
}

/** The last position up to `high` that is not inside a grapheme, which may have many code points. */
function characterEnd(text: string, start: number, high: number): number {
  const slice = text.slice(start, high + LOOKAHEAD)
  characters ??= new Intl.Segmenter('und', { granularity: 'grapheme' })
  const index = characters.segment(slice).containing(high - start)?.index ?? high - start
  if (index > 0) return start + index
  return isLowSurrogate(text.charCodeAt(high)) ? high - 1 : high
}

function inSentences(prose: string): Intl.Segments {
  sentences ??= new Intl.Segmenter('und', { granularity: 'sentence' })
  return sentences.segment(prose)
}

/** The text with line breaks as spaces: for Unicode's rules, a wrapped line would end a sentence. Keeps the length. */
function unwrapped(text: string): string {
  return text.replace(/[\r\n]/g, ' ')
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** A part of a text that belongs together: a heading, or lines up to the next blank one. */
interface Block {
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
function* textBlocks(text: string): Generator<Block> {
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

/** The first position from `start` on that is not whitespace, or `end`. */
function skipWhitespace(text: string, start: number, end: number): number {
  return end - text.slice(start, end).trimStart().length
}

/** The position behind the last character before `end` that is not whitespace, or `start`. */
function trimmedEnd(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length
}
