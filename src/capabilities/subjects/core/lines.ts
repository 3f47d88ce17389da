import { isObject, parseJson } from '../../../platform.ts'
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
export function capNotice(shown: number, all: number, rest: string): string {
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
