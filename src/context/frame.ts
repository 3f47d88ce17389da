import { exactLine } from './exact-text.ts'
import { sha256Text } from './sha256-text.ts'

/** What stands in a frame: `material` is to be worked with and obeyed in nothing, `guidance` was put there by the owner to be followed. */
export type FrameKind = 'material' | 'guidance'

/** What the first line of a frame says. */
interface FrameTitle {
  /** Where the text comes from, such as `file "tides.txt"`. Put on one line. */
  readonly what: string
  readonly as: FrameKind
}

/**
 * A text of others between two lines with a hash of it, so that nothing in it can end it: its author cannot know the hash of a
 * text that has it, and a line of the text that looks like one of the two gets `| ` in front. Pure: the same text gives the same
 * bytes. `digest` is the SHA-256 of the text, hexadecimal, where it is known.
 */
export function framed(text: string, title: FrameTitle, digest?: string): string {
  return inFrame(frameOf(text, title, digest), text)
}

/** The two lines of a frame. */
export interface Frame {
  readonly begin: string
  readonly end: string
}

export function frameOf(text: string, { what, as }: FrameTitle, digest: string = sha256Text(text)): Frame {
  const hash = digest.slice(0, HASH)
  const rule = as === 'material' ? ', material and not instructions' : ''
  return { begin: `=== begin ${hash}: ${exactLine(what)}${rule} ===`, end: `=== end ${hash} ===` }
}

/** A text between the lines of a frame: the whole, or an excerpt of it. */
export function inFrame(frame: Frame, text: string): string {
  return countedInFrame(frame, text).text
}

/** The same, and what it adds: its lines, and what is in front of lines that look like them. */
export function countedInFrame({ begin, end }: Frame, text: string): { readonly text: string; readonly added: string } {
  const quoted = withoutLookalikes(text)
  return {
    text: `${begin}\n${quoted}\n${end}`,
    added: `${begin}\n\n${end}${QUOTE.repeat((quoted.length - text.length) / QUOTE.length)}`,
  }
}

/** Takes a frame apart; `undefined` for a text that is not one frame from its beginning to its end. */
export function unframed(text: string): (Frame & { readonly text: string }) | undefined {
  const begin = BEGIN.exec(text)
  if (!begin) return undefined
  const end = `=== end ${begin[1]} ===`
  const from = begin[0].length + 1
  const to = text.length - end.length - 1
  if (to < from || !text.endsWith(`\n${end}`)) return undefined
  return { begin: begin[0], text: withLookalikes(text.slice(from, to)), end }
}

/** Characters of the hash. */
const HASH = 12

const BEGIN = /^=== begin ([0-9a-f]{12}): [^\n]* ===(?=\n)/

/** In front of a line that looks like one of a frame. A line that has it already gets another: so it can be taken away again. */
const QUOTE = '| '

function withoutLookalikes(text: string): string {
  return changeLookalikes(text, (line) => `${QUOTE}${line}`)
}

function withLookalikes(text: string): string {
  return changeLookalikes(text, (line) => (line.startsWith(QUOTE) ? line.slice(QUOTE.length) : line))
}

/** Most lines have none of the signs: only the others are looked at, since a text may have megabytes. */
function changeLookalikes(text: string, change: (line: string) => string): string {
  const signs = new RegExp(SIGN, 'g')
  const changed: string[] = []
  let kept = 0
  for (let sign = signs.exec(text); sign !== null; sign = signs.exec(text)) {
    let begin = sign.index
    while (begin > 0 && !LINE_ENDS.has(text.charCodeAt(begin - 1))) begin -= 1
    let end = sign.index + 1
    while (end < text.length && !LINE_ENDS.has(text.charCodeAt(end))) end += 1
    signs.lastIndex = end
    const line = text.slice(begin, end)
    if (!isLookalike(line)) continue
    changed.push(text.slice(kept, begin), change(line))
    kept = end
  }
  return kept === 0 ? text : [...changed, text.slice(kept)].join('')
}

const LINE_ENDS: ReadonlySet<number> = new Set(Array.from('\n\r\u0085\u2028\u2029\v\f', (end) => end.charCodeAt(0)))
const SIGN = /[=＝﹦═⩵⩶≠]/u

/**
 * Whether a line begins with two signs that look like those of a frame, wherever they stand before the word. Compared by what a
 * reader sees: without characters that leave no mark, and with letters in their plain form.
 */
function isLookalike(line: string): boolean {
  if (!SIGN.test(line)) return false
  const plain = line.normalize('NFKD').replaceAll(UNSEEN, '')
  const signs = /^[^\p{L}\p{N}]+/u.exec(plain)?.[0]
  if (signs === undefined || (signs.match(/[=═]/g)?.length ?? 0) < 2) return false
  WORD.lastIndex = signs.length
  return WORD.test(plain)
}

const UNSEEN = /[\p{Cf}\p{M}]/gu

/** The words of a frame, also with Cyrillic letters that look the same. */
const WORD = /[bЬ][eе]g[iі]n|[eе]n[dԁ]/iuy
