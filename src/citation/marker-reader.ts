import type { CitationPiece } from './piece.ts'

/**
 * Tells markers from other text, one character at a time and each once: what turns out to be no marker is never read again,
 * since none can begin inside it. A marker is given when the character behind it is there: a link may follow.
 */
export function markerReader(isKnown: (number: number) => boolean, give: (piece: CitationPiece) => void) {
  let marker: Marker | undefined
  let numbers: readonly number[] = []
  let link: MarkerLink | undefined
  /** A `!` precedes it: with a link behind, that is an image. */
  let image = false
  let last = ''

  function take(char: string, literal: boolean): void {
    if (literal || !extended(char)) {
      settle()
      marker = literal ? undefined : markerFrom(char)
      image = last === '!'
      if (!marker) giveText(char)
    }
    last = literal ? '' : char
  }

  /** Whether the character belongs to what is held back. */
  function extended(char: string): boolean {
    if (!marker) return false
    if (link) return linkExtended(marker, link, char)
    if (marker.part === 'closed') return linkBegun(char)
    const longer = markerAfter(marker, char)
    if (longer) return grown(longer)
    if (marker.part === 'closing') {
      leaveOuterBracket()
      return linkBegun(char)
    }
    if (marker.text !== '[[' || char !== '[') return false
    giveText('[')
    image = false
    return true
  }

  function grown(longer: Marker): boolean {
    marker = longer
    if (longer.part !== 'closing' && longer.part !== 'closed') return true
    numbers = [...new Set(markerNumbers(longer.text).filter((number) => number > 0 && isKnown(number)))]
    if (numbers.length === 0) settle()
    return true
  }

  function linkBegun(char: string): boolean {
    if (char !== '(' || marker?.close !== ']') return false
    if (image) {
      giveText(marker.text)
      marker = undefined
      return false
    }
    link = linkStart
    return true
  }

  function linkExtended({ text }: Marker, begun: MarkerLink, char: string): boolean {
    const longer = linkAfter(begun, char)
    if (!longer) return false
    link = longer
    if (longer.depth > 0) return true
    give({ type: 'citation', numbers, text: text + longer.text })
    marker = link = undefined
    return true
  }

  /** `[[1]` without its last bracket is a `[1]` behind a bracket. */
  function leaveOuterBracket(): void {
    if (!marker || !isDouble(marker.text)) return
    giveText('[')
    marker = { ...marker, text: marker.text.slice(1), part: 'closed' }
    image = false
  }

  /** Gives what is held back as what it is when nothing more belongs to it. */
  function settle(): void {
    if (!marker) return
    if (marker.part === 'closing' && numbers.length > 0) leaveOuterBracket()
    if (marker.part === 'closed' && numbers.length > 0) give({ type: 'citation', numbers, text: marker.text })
    else giveText(marker.text)
    if (link) giveText(link.text)
    marker = link = undefined
    numbers = []
  }

  function giveText(text: string): void {
    give({ type: 'text', text })
  }

  return {
    /** `literal`: the character can be no part of a marker. */
    take,
    end: settle,
  }
}

/** What has been read of a marker: `[1]`, `[[1]]`, `[1, 2]`, `【1】` or `［1］` (BEHAVIOURS §3.6). */
interface Marker {
  readonly text: string
  readonly close: string
  /** `closing`: one of two brackets is there. */
  readonly part: 'open' | 'number' | 'gap' | 'comma' | 'closing' | 'closed'
}

/** A marker that begins with this character; `undefined` where none does. */
function markerFrom(char: string): Marker | undefined {
  const close = closing[char]
  return close === undefined ? undefined : { text: char, close, part: 'open' }
}

/** The marker with one more character; `undefined` where it would be none. */
function markerAfter({ text, close, part }: Marker, char: string): Marker | undefined {
  if (text.length >= longest) return undefined
  const next = (to: Marker['part']): Marker => ({ text: text + char, close, part: to })
  if (part === 'closing') return char === close ? next('closed') : undefined
  if (text === '[' && char === '[') return next('open')
  if (char === close && (part === 'number' || part === 'gap')) return next(isDouble(text) ? 'closing' : 'closed')
  if (digit.test(char) && part !== 'gap') return next('number')
  if (spaces.includes(char)) return next(part === 'number' ? 'gap' : part)
  if (commas.includes(char) && (part === 'number' || part === 'gap')) return next('comma')
  return undefined
}

function isDouble(marker: string): boolean {
  return marker.startsWith('[[')
}

/** The numbers of a marker, in its order. One with a zero in front is no number of a source: `NaN`. */
function markerNumbers(marker: string): readonly number[] {
  return (marker.match(/[0-9０-９]+/g) ?? []).map((written) => {
    const plain = written.replace(/[０-９]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - toAscii))
    return plain.startsWith('0') ? Number.NaN : Number(plain)
  })
}

const closing: Readonly<Record<string, string>> = { '[': ']', '【': '】', '［': '］' }
const digit = /^[0-9０-９]$/
const spaces = ' \u00A0\u3000'
const commas = ',，、'
/** From `１` to `1`. */
const toAscii = 0xfee0

/** In characters. Nobody cites so much at once; what is longer is not held back for it. */
const longest = 256

/** What has been read of the `(https://…)` behind a marker: a model that writes `[1](https://…)` cites. */
interface MarkerLink {
  readonly text: string
  readonly part: 'scheme' | 'address'
  /** Parentheses that are open; 0: the link is whole. */
  readonly depth: number
}

/** Begins behind a marker, at a `(`. */
const linkStart: MarkerLink = { text: '(', part: 'scheme', depth: 1 }

/**
 * The link with one more character; `undefined` where it is none. It contains no brackets, so that a text that turns out to
 * be no link contains no other marker and is not read twice.
 */
function linkAfter({ text, part, depth }: MarkerLink, char: string): MarkerLink | undefined {
  const longer = text + char
  if (part === 'scheme') {
    if (schemes.includes(longer)) return { text: longer, part: 'address', depth }
    return schemes.some((scheme) => scheme.startsWith(longer)) ? { text: longer, part, depth } : undefined
  }
  if (text.length >= longestLink || never.test(char)) return undefined
  const change = char === '(' ? 1 : char === ')' ? -1 : 0
  return { text: longer, part, depth: depth + change }
}

const schemes = ['(https://', '(http://']
const never = /[\s\p{Cc}\\`<>"[\]【】［］]/u

/** In characters. */
const longestLink = 2048
