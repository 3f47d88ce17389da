/** What has been read of a marker: `[1]`, `[[1]]`, `[1, 2]`, `【1】` or `［1］` (BEHAVIOURS §3.6). */
export interface Marker {
  readonly text: string
  /** The bracket that ends it. */
  readonly close: string
  /** `closing`: one of two brackets is there. */
  readonly part: 'open' | 'number' | 'gap' | 'comma' | 'closing' | 'closed'
}

/** A marker that begins with this character; `undefined` where none does. */
export function markerFrom(char: string): Marker | undefined {
  const close = closing[char]
  return close === undefined ? undefined : { text: char, close, part: 'open' }
}

/** The marker with one more character; `undefined` where it would be none. */
export function markerAfter({ text, close, part }: Marker, char: string): Marker | undefined {
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

export function isDouble(marker: string): boolean {
  return marker.startsWith('[[')
}

/**
 * The numbers of a marker, in its order, and how each is written. One with a zero in front is no number of a source: `NaN`.
 * What stands behind a parenthesis is a link.
 */
export function numbersOf(marker: string): readonly { readonly number: number; readonly written: string }[] {
  const [bracket = ''] = marker.split('(', 1)
  return (bracket.match(/[0-9０-９]+/g) ?? []).map((written) => {
    const plain = written.replace(/[０-９]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - toAscii))
    return { number: plain.startsWith('0') ? Number.NaN : Number(plain), written }
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
