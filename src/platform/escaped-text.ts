/**
 * What stands for one character of ASCII in JSON, JavaScript and shells, however often that was escaped again, in a URL and in HTML. The
 * lengths are bounded, so that no text is slow.
 */
const ESCAPE = new RegExp(
  [
    String.raw`\\{1,8}(?:(?:u00|x|u\{0{0,6})([0-7][\da-f])\}?|(1[0-7]{2}|0[4-7][0-7]|[4-7][0-7](?![0-7])))`,
    String.raw`%(?:25){0,4}(?:u00)?([0-7][\da-f])`,
    String.raw`&(?:amp;){0,3}#(?:x0{0,4}([2-7][\da-f])(?:;|(?![\da-f]))|0{0,4}(\d{2,3})(?:;|(?!\d)))`,
  ].join('|'),
  'gi',
)

/** No text may have all of a large body, bytes. */
const READ_AT_ONCE = 16_000_000

/** Without any of these a text has no escape. */
const SIGNS = ['\\u00', '\\u{', '\\x', ...Array.from('014567', (digit) => `\\${digit}`), '&#', 'amp;#', '%']

/** Characters. */
export const LONGEST_ESCAPE = 24

interface PlainText {
  readonly text: string
  /** The index in the text with its escapes. */
  placeOf(index: number): number
}

/** A text with its escapes undone; `undefined` where it has none. */
export function withoutEscapes(text: string): PlainText | undefined {
  const parts: string[] = []
  /** By escape: the index behind it, and how much shorter the text is by then. */
  const ends: number[] = []
  const removed: number[] = []
  let [from, shorter] = [0, 0]
  for (const found of text.matchAll(ESCAPE)) {
    const { 0: escape, index } = found
    parts.push(text.slice(from, index), escapedCharacter(found))
    from = index + escape.length
    shorter += escape.length - 1
    ends.push(from - shorter)
    removed.push(shorter)
  }
  if (ends.length === 0) return undefined
  parts.push(text.slice(from))
  const placeOf = (index: number): number => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! <= index) low = middle + 1
      else high = middle
    }
    return index + (removed[low - 1] ?? 0)
  }
  return { text: parts.join(''), placeOf }
}

function escapedCharacter([, json, octal, url, html, decimal]: RegExpMatchArray): string {
  if (decimal !== undefined) return String.fromCharCode(Number(decimal))
  return String.fromCharCode(
    octal === undefined ? Number.parseInt((json ?? url ?? html)!, 16) : Number.parseInt(octal, 8),
  )
}

/** The parts of a text in UTF-8 that are so near to an escape of one of these characters, bytes. Most texts have few of them. */
export function* partsWithEscapes(
  bytes: Uint8Array,
  characters: ReadonlySet<string>,
  reach: number,
): Generator<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!SIGNS.some((sign) => buffer.includes(sign))) return
  let [start, end] = [0, 0]
  for (let from = 0; from < bytes.length; from += READ_AT_ONCE) {
    // A place in this text is one in the bytes.
    for (const found of buffer.toString('latin1', from, from + READ_AT_ONCE + LONGEST_ESCAPE).matchAll(ESCAPE)) {
      if (!characters.has(escapedCharacter(found))) continue
      const at = from + found.index
      if (at - reach > end) {
        if (end > 0) yield buffer.toString('utf8', start, end)
        start = at - reach
      }
      end = at + reach
    }
  }
  if (end > 0) yield buffer.toString('utf8', start, end)
}

/** A text in single quotes, as shells read it. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The words of a command as a person can paste them: in quotes only where a shell would read them as something else. */
export function shellWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w./:@%+,=-]+$/.test(word) ? word : quoteForShell(word))).join(' ')
}

/** A text between the tags of HTML or XML. Not for an attribute: quotation marks stay. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
