import { isObject, parseJson } from '../../../platform.ts'
import type { Notes, NotesPage, NotesQuery } from './subjects.ts'

/** The lines of a text, without their ends: `\n`, `\r\n` or `\r`. An end at the very end begins no further line. */
export function splitLines(text: string): readonly string[] {
  return wholeLines(text).map((line) => line.replace(/[\r\n]+$/, ''))
}

/** The same, each with the end that it has: joined they are the text. */
export function wholeLines(text: string): readonly string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+/g) ?? []
}

export interface JsonLines {
  /** Newest first: the last line of the file is the first here. */
  readonly objects: readonly JsonObject[]
  /** Number of lines without a JSON object, blank lines not counted. */
  readonly broken: number
}

export type JsonObject = Readonly<Record<string, unknown>>

/** What is nested deeper than this is nobody's record, and could not be written down again. */
const DEEPEST = 100

/** Reads every line that can be read. Never throws. */
export function jsonLines(text: string): JsonLines {
  const lines = splitLines(text).filter((line) => line.trim() !== '')
  const objects = lines.map(objectIn).filter((object) => object !== undefined)
  return { objects: objects.toReversed(), broken: lines.length - objects.length }
}

/** The object in a line; `undefined` if it has none. */
export function objectIn(line: string): JsonObject | undefined {
  // Trimmed of its byte order mark, too.
  const value = parseJson(line.trim())
  return isObject(value) && !isDeeper(value, DEEPEST) ? value : undefined
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

export interface TextCap {
  readonly chars: number
  /** How the rest can be read, in words. */
  readonly rest: string
}

export const uncapped: TextCap = { chars: Number.POSITIVE_INFINITY, rest: '' }

/** A text of at most `chars` characters; a shortened one ends with a sentence about what is missing. */
export function capText(text: string, { chars, rest }: TextCap): string {
  if (text.length <= chars) return text
  const shown = textBeginning(text, chars)
  return `${shown}\n\n${capNotice(shown.length, text.length, rest)}`
}

/** `rest`: how to read the rest. */
function capNotice(shown: number, all: number, rest: string): string {
  return `[${shown} of ${all} characters shown; ${rest}]`
}

/** Never half of a character; neither does `textEnd`. */
export function textBeginning(text: string, most: number): string {
  return text.slice(0, splitsPair(text, most) ? most - 1 : most)
}

export function textEnd(text: string, most: number): string {
  const from = Math.max(0, text.length - most)
  return text.slice(splitsPair(text, from) ? from + 1 : from)
}

/** How the rest of a text can be read that no tool reads. */
export const moreBySetting = 'the setting subjects.maxTextChars says how many'
/** The same where all of a reply is too long. */
export const moreByReply = 'the setting subjects.maxReplyChars says how many all texts together may have'

function splitsPair(text: string, at: number): boolean {
  return at > 0 && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1))
}

/** A text with more at its end: as lines of its own, behind a blank line, in the line ends that the text has. */
export function appendLines(before: string, content: string): string {
  const end = /\r\n/.test(before) && !/(?<!\r)\n/.test(before) ? '\r\n' : '\n'
  const block = `${content.split('\n').join(end)}${end}`
  if (before === '') return block
  const closed = /[\r\n]$/.test(before) ? before : `${before}${end}`
  return endsWithBlankLine(closed) ? `${closed}${block}` : `${closed}${end}${block}`
}

export interface LineRange {
  readonly start: number
  readonly end: number
}

/** Where a text has these lines. */
export function findLines(text: string, content: string): readonly LineRange[] {
  const lines = lineRanges(text)
  // One search for the whole text is far faster than one for each line.
  const searched = `\n${lines.map(({ said }) => said).join('\n')}\n`
  const sought = `\n${content}\n`
  const height = content.split('\n').length
  const found: LineRange[] = []
  let line = 0
  let counted = 0
  for (let at = searched.indexOf(sought); at !== -1; at = searched.indexOf(sought, at + 1)) {
    for (; counted < at; counted++) if (searched[counted] === '\n') line++
    found.push({ start: lines[line]!.start, end: lines[line + height - 1]!.end })
  }
  return found
}

/** Without these lines, and without the blank one that came before them when they were added to `addedTo`. */
export function removeLines(text: string, { start, end }: LineRange, addedTo: string): string {
  const head = text.slice(0, start)
  const addedBlank = addedTo !== '' && !endsWithBlankLine(addedTo)
  const kept = addedBlank && endsWithBlankLine(head) ? head.replace(/(?:\r\n|\n|\r)$/, '') : head
  return `${kept}${text.slice(end)}`
}

/** Lines of a proposal as they are kept: without blank ones around them, and with one kind of line end. */
export function trimLines(content: string): string {
  return content
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd()
}

function endsWithBlankLine(text: string): boolean {
  return /(?:^|\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r)$/.test(text)
}

function lineRanges(text: string): readonly { readonly said: string; readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(/([^\r\n]*)(?:\r\n|\n|\r|$)/g), ({ 0: whole, 1: said = '', index }) => ({
    said,
    start: index,
    end: index + whole.length,
  }))
}

/** Notes of more lines than these are long: their middle is left out (BEHAVIOURS §4). */
export const longNotesLines = 40

const HEAD_LINES = 10
const TAIL_LINES = longNotesLines - HEAD_LINES

/** Notes of at most 40 lines whole, else their first 10 and last 30; beyond `maxChars`, a quarter is the beginning. */
export function notesForm(text: string, maxChars: number): Notes {
  const lines = splitLines(text)
  if (lines.length > longNotesLines) return { summary: longForm(text, lines, maxChars), truncated: true }
  if (text.length <= maxChars) return { summary: text, truncated: false }
  const [head, tail] = fitted(text, text, maxChars)
  return { summary: `${head}\n\n${cutNotice(head, tail, text)}\n\n${tail}`, truncated: true }
}

function longForm(text: string, lines: readonly string[], maxChars: number): string {
  const first = lines.slice(0, HEAD_LINES).join('\n')
  const last = lines.slice(-TAIL_LINES).join('\n')
  const elided = `\n\n... [${lines.length - longNotesLines} lines elided] ...\n\n`
  if (first.length + last.length <= maxChars) return `${first}${elided}${last}`
  const [head, tail] = fitted(first, last, maxChars)
  return `${head}${elided}${cutNotice(head, tail, text)}\n\n${tail}`
}

function fitted(first: string, last: string, maxChars: number): readonly [string, string] {
  const head = textBeginning(first, Math.max(Math.floor(maxChars / 4), maxChars - last.length))
  return [head, textEnd(last, maxChars - head.length)]
}

function cutNotice(head: string, tail: string, text: string): string {
  return capNotice(head.length + tail.length, text.length, 'read_full_notes reads the rest')
}

const PAGE_LINES = 200

/**
 * Lines of the notes, exactly as they are in the file: all pages, joined, are the notes. A page ends before it has
 * more than `maxChars` characters; only a single longer line is shown in part.
 */
export function notesPage(text: string, { offset = 0, limit = PAGE_LINES }: NotesQuery, maxChars: number): NotesPage {
  const lines = wholeLines(text)
  const shown = fitting(lines.slice(offset, offset + limit), maxChars)
  const end = offset + shown.length
  return {
    text: shown.length === 1 ? capText(shown[0]!, { chars: maxChars, rest: moreBySetting }) : shown.join(''),
    offset,
    lines: shown.length,
    total: lines.length,
    next_offset: end < lines.length ? end : null,
  }
}

/** As many lines as fit, and at least one. */
function fitting(lines: readonly string[], maxChars: number): readonly string[] {
  let used = 0
  const over = lines.findIndex((line, place) => (used += line.length) > maxChars && place > 0)
  return over === -1 ? lines : lines.slice(0, over)
}
