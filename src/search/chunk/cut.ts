import { isBlank } from './ink.ts'

/** A part of a text that is longer than a chunk may be. */
export interface LongSpan {
  readonly start: number
  readonly end: number
  /** Torn between lines rather than sentences. */
  readonly lined: boolean
}

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' })
const characters = new Intl.Segmenter('und', { granularity: 'grapheme' })
/** How far past the limit to look, so that what stands at the limit is seen whole. */
const LOOKAHEAD = 64

/**
 * Where to tear a span so that its first part is no longer than `size`: into parts of about equal length, at the end of a
 * line or a sentence, else at a blank, else between two characters.
 */
export function cutOf(text: string, span: LongSpan, size: number): number {
  const { start, lined } = span
  const length = span.end - start
  const target = Math.ceil(length / Math.ceil(length / size))
  const low = start + Math.floor(target / 2)
  const high = Math.min(start + size, start + Math.ceil(target * 1.2))
  return (
    (lined ? lineEnd(text, low, high) : undefined) ??
    sentenceEnd(text, span, low, high) ??
    lineEnd(text, low, high) ??
    blankEnd(text, low, high) ??
    characterEnd(text, start, high)
  )
}

/**
 * Where the part behind a cut begins: up to `overlap` characters before it, at the beginning of a line or a sentence, else
 * of a word. At the cut itself where nothing of the kind is near.
 */
export function overlapStart(text: string, span: LongSpan, cut: number, overlap: number): number {
  if (overlap <= 0) return cut
  const from = cut - overlap
  const window = text.slice(from, cut)
  const line = window.indexOf('\n') + 1
  if (span.lined) return line > 0 && line < window.length ? from + line : cut
  const prose = unwrapped(text.slice(span.start, cut))
  const sentence = sentences.segment(prose).containing(from - span.start)
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
  const sentence = sentences.segment(prose).containing(high - span.start)
  const end = span.start + (sentence?.index ?? 0)
  return end > low ? end : undefined
}

function blankEnd(text: string, low: number, high: number): number | undefined {
  for (let at = high; at > low; at -= 1) if (isBlank(text.charCodeAt(at - 1))) return at
  return undefined
}

/** The last place up to `high` that is not inside of a character, however many code points it is made of. */
function characterEnd(text: string, start: number, high: number): number {
  const slice = text.slice(start, high + LOOKAHEAD)
  const index = characters.segment(slice).containing(high - start)?.index ?? high - start
  if (index > 0) return start + index
  return isLowSurrogate(text.charCodeAt(high)) ? high - 1 : high
}

/** Whoever wraps lines ends no sentence by it, but Unicode's rules say so. Of the same length. */
function unwrapped(text: string): string {
  return text.replace(/[\r\n]/g, ' ')
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
