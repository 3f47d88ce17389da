import { wholeCharacter } from '../../../context.ts'
import type { MessageEntity } from 'grammy/types'

export interface FormattedText {
  readonly text: string
  /** Offsets and lengths are UTF-16 code units of `text`. Sorted; of two that share characters, one contains the other. */
  readonly entities: readonly MessageEntity[]
}

export function plainText(text: string): FormattedText {
  return { text: text.toWellFormed(), entities: [] }
}

/** At most `most` characters of a text; what was cut ends with `…`. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}

export function styledText(text: string, type: 'bold' | 'italic' | 'pre' | 'code'): FormattedText {
  const plain = plainText(text)
  return plain.text === '' ? plain : { ...plain, entities: [{ type, offset: 0, length: plain.text.length }] }
}

/** Joins texts and leaves out empty ones. */
export function joinFormatted(texts: readonly FormattedText[], between: string): FormattedText {
  let text = ''
  const entities: FormattedText['entities'][number][] = []
  for (const part of texts) {
    if (part.text === '') continue
    if (text !== '') text += between
    const start = text.length
    entities.push(...part.entities.map((entity) => ({ ...entity, offset: entity.offset + start })))
    text += part.text
  }
  return { text, entities }
}

/** Without the white space at the ends. The indentation of the first line of a code block stays. */
export function textSlice({ text, entities }: FormattedText, start = 0, end = text.length): FormattedText {
  const last = start + text.slice(start, end).trimEnd().length
  const first = firstKept(text, entities, start, last)
  const shown = text.slice(first, last)
  return { text: shown, entities: entities.flatMap((entity) => clipped(shown, entity, first) ?? []) }
}

/** Where a slice begins without the white space before it. */
function firstKept(text: string, entities: readonly MessageEntity[], start: number, end = text.length): number {
  const first = start + blanksBefore(text.slice(start, end))
  const line = Math.max(start, text.lastIndexOf('\n', first - 1) + 1)
  if (line >= first || first >= end) return first
  const isCode = entities.some(
    ({ type, offset, length }) => type === 'pre' && offset <= line && first < offset + length,
  )
  return isCode ? line : first
}

/** An entity without the white space at its ends; `undefined` if it has nothing else. */
export function trimEntity(text: string, entity: MessageEntity): MessageEntity | undefined {
  const { type, offset, length } = entity
  const end = offset + text.slice(offset, offset + length).trimEnd().length
  const first = offset + blanksBefore(text.slice(offset, end))
  // An entity that may contain code keeps whole lines. Otherwise it would begin within the code.
  const keepsLines = type === 'pre' || type === 'blockquote'
  const start = keepsLines ? Math.max(offset, text.lastIndexOf('\n', first - 1) + 1) : first
  return first < end ? { ...entity, offset: start, length: end - start } : undefined
}

function clipped(shown: string, entity: MessageEntity, first: number): MessageEntity | undefined {
  const offset = Math.max(0, entity.offset - first)
  const end = Math.min(shown.length, entity.offset + entity.length - first)
  return end > offset ? trimEntity(shown, { ...entity, offset, length: end - offset }) : undefined
}

function blanksBefore(text: string): number {
  return text.length - text.trimStart().length
}

/** The longest message that Telegram accepts, UTF-16 code units. */
export const LONGEST_MESSAGE = 4096

/**
 * Splits at `limit` UTF-16 code units (2 or more): between paragraphs where possible, else between lines, sentences,
 * words or characters. A split code block continues as one. Only white space is lost at the cuts. Each part depends
 * only on its own words: while a text grows, its first parts stay the same. Throws a `RangeError` for a smaller
 * limit.
 */
export function messageParts(text: FormattedText, limit = LONGEST_MESSAGE): readonly FormattedText[] {
  if (limit < 2) throw new RangeError(`Invalid limit ${limit}: a single character may need 2.`)
  const end = text.text.trimEnd().length
  const parts: FormattedText[] = []
  let start = firstKept(text.text, text.entities, 0)
  while (start < end) {
    const cut = end - start <= limit ? end : cutPoint(text, start, limit)
    const part = textSlice(text, start, cut)
    if (!isBlankMessage(part.text)) parts.push(part)
    start = firstKept(text.text, text.entities, cut)
  }
  return parts
}

/** Whether a text has no visible character. Telegram refuses such a message. */
export function isBlankMessage(text: string): boolean {
  return /^[\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]*$/u.test(text)
}

/** Depends only on the text in between. A border in the first quarter is not used. */
function cutPoint({ text, entities }: FormattedText, start: number, limit: number): number {
  const end = start + limit
  const least = start + Math.ceil(limit / 4)
  const code = entities.filter(({ type, offset, length }) => type === 'pre' && offset < end && offset + length > start)
  const isInCode = (at: number) => code.some(({ offset, length }) => offset < at && at < offset + length)

  const paragraph = lastBefore(text, '\n\n', end, least, isInCode)
  if (paragraph !== undefined) return paragraph
  const line = lastBefore(text, '\n', end, least)
  if (line !== undefined) return line
  const room = text.slice(start, end + 1)
  const sentence = lastMatch(room, /[.!?…]["'”’)\]]*(?=\s)|[。！？](?=.)/gsu)
  if (sentence !== undefined && start + sentence >= least && !isInCode(start + sentence)) return start + sentence
  const word = lastMatch(room, /\S(?=\s)/gu)
  if (word !== undefined && start + word >= least) return start + word
  return characterEnd(text, start, end)
}

function lastBefore(
  text: string,
  border: string,
  end: number,
  least: number,
  isExcluded: (at: number) => boolean = () => false,
): number | undefined {
  for (let at = text.lastIndexOf(border, end); at >= least; at = text.lastIndexOf(border, at - 1)) {
    if (!isExcluded(at)) return at
  }
  return undefined
}

function lastMatch(text: string, pattern: RegExp): number | undefined {
  let found: number | undefined
  for (const match of text.matchAll(pattern)) found = match.index + match[0].length
  return found
}

const GRAPHEMES = new Intl.Segmenter()
/** A longer character is split, code units. */
const LONGEST_CHARACTER = 64

/** The last end of a character. A grapheme is not split unless it is very long, and a surrogate pair never. */
function characterEnd(text: string, start: number, end: number): number {
  const from = Math.max(start, end - LONGEST_CHARACTER)
  const near = text.slice(from, end + LONGEST_CHARACTER)
  const whole = from + (GRAPHEMES.segment(near).containing(end - from)?.index ?? end - from)
  return whole > from ? whole : wholeCharacter(text, end)
}
