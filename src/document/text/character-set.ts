import { startsWith } from '../../context.ts'
import { ReadingFault } from '../reading-limits.ts'

/** In text, at most this share of the characters may be control characters or replacements of invalid bytes. */
const mostDamage = 0.01
/** No text in a Western language has a larger share of characters beyond ASCII. */
const mostAccents = 0.3

/**
 * Decodes bytes by their byte order mark, as valid UTF-8, by the character set that `declared` or the beginning of the page
 * names, or else by a guess between damaged UTF-8 and windows-1252. Throws a `ReadingFault` if the result is not text.
 */
export function decodedText(bytes: Uint8Array, declared?: string): string {
  const text = decoded(bytes, declared)
  if (countDamage(text) > mostDamage) throw binary()
  return text
}

/** Whether a file is binary, judged by its first bytes. UTF-16 counts as text. */
export function looksBinary(head: Uint8Array): boolean {
  if (markedSet(head) !== undefined || unmarkedWide(head) !== undefined) return false
  const text = new TextDecoder().decode(head)
  return text.includes('\0') || countDamage(text) > mostDamage
}

function decoded(bytes: Uint8Array, declared: string | undefined): string {
  const wide = markedSet(bytes) ?? unmarkedWide(bytes)
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes)
  const named = declaredSet(bytes, declared)
  const plain = utf8(bytes)
  // Bytes beyond ASCII are hardly ever valid UTF-8 by chance, so a different declaration is wrong.
  if (plain !== undefined && (named === undefined || plain.length < bytes.length)) return plain
  return named?.decode(bytes) ?? plain ?? guessed(bytes)
}

function markedSet(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, '\xef\xbb\xbf')) return 'utf-8'
  // `FF FE 00 00` would be UTF-32, which is not supported.
  if (startsWith(bytes, '\xff\xfe') && !startsWith(bytes, '\0\0', 2)) return 'utf-16le'
  if (startsWith(bytes, '\xfe\xff')) return 'utf-16be'
  return undefined
}

/** Detects UTF-16 without a byte order mark: one byte of each pair is often NUL, the other never. */
function unmarkedWide(bytes: Uint8Array): string | undefined {
  const length = Math.min(bytes.length, 4096) & ~1
  if (length < 4 || bytes.length % 2 === 1) return undefined
  const nuls = [0, 0]
  for (let index = 0; index < length; index += 1) if (bytes[index] === 0) nuls[index % 2]! += 1
  const half = length / 2
  const set =
    nuls[1]! > half * 0.3 && nuls[0] === 0
      ? 'utf-16le'
      : nuls[0]! > half * 0.3 && nuls[1] === 0
        ? 'utf-16be'
        : undefined
  if (set === undefined) return undefined
  return countDamage(new TextDecoder(set).decode(bytes.subarray(0, length))) > mostDamage ? undefined : set
}

const declarations = [
  /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/,
  /<meta[^>]*\scharset\s*=\s*["']?\s*([\w.:-]+)/i,
]

function declaredSet(bytes: Uint8Array, declared: string | undefined): TextDecoder | undefined {
  const start = Buffer.from(bytes.subarray(0, 2048)).toString('latin1')
  const label = declared ?? declarations.map((one) => one.exec(start)?.[1]).find((one) => one !== undefined)
  if (label === undefined) return undefined
  try {
    const decoder = new TextDecoder(label.trim())
    // The declaration itself was readable as ASCII, so it is not UTF-16; and UTF-8 has already been tried.
    return decoder.encoding.startsWith('utf-') ? undefined : decoder
  } catch {
    return undefined
  }
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Chooses between UTF-8 with invalid bytes and windows-1252, which hardly ever contains a valid UTF-8 sequence. */
function guessed(bytes: Uint8Array): string {
  const flawed = new TextDecoder().decode(bytes)
  const broken = count(flawed, /\ufffd/g)
  const whole = count(flawed, /[^\0-\x7f\ufffd]/gu)
  if (whole > broken) return flawed
  const western = new TextDecoder('windows-1252').decode(bytes)
  if (count(western, /[^\0-\x7f]/g) > western.length * mostAccents) throw binary()
  return western
}

/** The share of characters that text does not contain: control characters except white space and escape, and invalid bytes. */
function countDamage(text: string): number {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  return count(text, /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd\ufffe\uffff]/g) / Math.max(text.length, 1)
}

function count(text: string, pattern: RegExp): number {
  let found = 0
  for (pattern.lastIndex = 0; pattern.exec(text) !== null;) found += 1
  return found
}

function binary(): ReadingFault {
  return new ReadingFault(
    'binary',
    'it is not text, or its character set cannot be detected; save it as UTF-8, PDF or docx',
  )
}

/** Makes a text valid for every store and API: lines end with `\n`, and NUL and lone surrogates are removed. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '').toWellFormed()
}

/** A title on one line of at most 500 characters; none where it is blank. */
export function shownTitle(title: string): { readonly title?: string } {
  const shown = cleanText(title).replace(/\s+/g, ' ').trim().slice(0, 500).toWellFormed()
  return shown === '' ? {} : { title: shown }
}
