import type { FormattedText } from './formatted-text.ts'

/**
 * Where a part that begins at `start` ends: after `start` and no further than `limit` from it. Only what stands in between
 * decides. A cut that leaves less than a quarter of the room used is no good one.
 */
export function cutPoint({ text, entities }: FormattedText, start: number, limit: number): number {
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

/** Where such a border begins, the last one that is no further than `end`. */
function lastBefore(
  text: string,
  border: string,
  end: number,
  least: number,
  isUnfit: (at: number) => boolean = () => false,
): number | undefined {
  for (let at = text.lastIndexOf(border, end); at >= least; at = text.lastIndexOf(border, at - 1)) {
    if (!isUnfit(at)) return at
  }
  return undefined
}

/** Where the last match ends. */
function lastMatch(text: string, pattern: RegExp): number | undefined {
  let found: number | undefined
  for (const match of text.matchAll(pattern)) found = match.index + match[0].length
  return found
}

const GRAPHEMES = new Intl.Segmenter()
/** A character that is longer than this is cut, code units. */
const LONGEST_CHARACTER = 64

/** The last end of a character: what people take for one is not cut, and what a machine takes for one never. */
function characterEnd(text: string, start: number, end: number): number {
  const from = Math.max(start, end - LONGEST_CHARACTER)
  const near = text.slice(from, end + LONGEST_CHARACTER)
  const whole = from + (GRAPHEMES.segment(near).containing(end - from)?.index ?? end - from)
  if (whole > from) return whole
  const splitsPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(end - 1, end + 1))
  return splitsPair ? end - 1 : end
}
