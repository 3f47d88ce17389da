import { startsWith } from '../context.ts'
import { signatureType } from '../platform.ts'
import { ReadingFault } from './reading-limits.ts'

/** In text, at most this share of the characters may be control characters or replacements of invalid bytes. */
const mostDamage = 0.01
/** No text in a Western language has a larger share of characters beyond ASCII. */
const mostAccents = 0.3

/**
 * Decodes bytes by their byte order mark, as valid UTF-8, by the character set that `declared` or the beginning of the page
 * names, or else by a guess between damaged UTF-8 and windows-1252. Throws a `ReadingFault` if the result is not text.
 */
export function decodedText(bytes: Uint8Array, declared?: string): string {
  return decoded(bytes, declared).text
}

/** The text of a file, and how its bytes say it. */
export interface TextFile {
  /** Without its byte order mark; lines end as in the file. */
  readonly text: string
  /** Name of the character set, such as `utf-8`, `utf-16le` or `windows-1252`. */
  readonly encoding: string
  /** Whether the bytes begin with a byte order mark. */
  readonly hasMark: boolean
}

/** Decodes a file as an upload of it is decoded; `undefined` where it is no text. */
export function decodedFile(bytes: Uint8Array): TextFile | undefined {
  // Archives of text are mostly text.
  if (looksBinary(bytes.subarray(0, 4096)) && signatureType(bytes) !== undefined) return undefined
  try {
    return { ...decoded(bytes), hasMark: markedSet(bytes) !== undefined }
  } catch (error) {
    if (error instanceof ReadingFault) return undefined
    throw error
  }
}

/** The bytes of a text; `undefined` where its character set lacks one of the characters, or cannot be written. */
export function encodedBytes({ text, encoding, hasMark }: TextFile): Uint8Array | undefined {
  const marked = hasMark ? `\ufeff${text}` : text
  if (encoding === 'utf-8') return Buffer.from(marked)
  if (encoding === 'utf-16le') return Buffer.from(marked, 'utf16le')
  if (encoding === 'utf-16be') return Buffer.from(marked, 'utf16le').swap16()
  if (encoding === 'utf-32le' || encoding === 'utf-32be') {
    const bytes = new Uint8Array(Buffer.from(Uint32Array.from(marked, (character) => character.codePointAt(0)!).buffer))
    return encoding === 'utf-32le' ? bytes : Buffer.from(bytes).swap32()
  }
  const decoder = new TextDecoder(encoding)
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
  const written = Array.from(text, (character) => bytes.get(character))
  return written.includes(undefined) ? undefined : Uint8Array.from(written as number[])
}

/** Whether a file is binary, judged by its first bytes. UTF-16 and UTF-32 count as text. */
export function looksBinary(head: Uint8Array): boolean {
  if (markedSet(head) !== undefined || unmarkedWide(head) !== undefined) return false
  const text = new TextDecoder().decode(head)
  return text.includes('\0') || countDamage(text) > mostDamage
}

function decoded(bytes: Uint8Array, declared?: string): Pick<TextFile, 'text' | 'encoding'> {
  const encoding = characterSet(bytes, declared)
  const text = decodedAs(encoding, bytes)
  if (countDamage(text) > mostDamage) throw binary()
  return { text, encoding }
}

function decodedAs(encoding: string, bytes: Uint8Array): string {
  if (!encoding.startsWith('utf-32')) return new TextDecoder(encoding).decode(bytes).replace(/^\ufeff/, '')
  const isLittle = encoding === 'utf-32le'
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const texts: string[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, isLittle)
    texts.push(code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code))
  }
  return texts.join('').replace(/^\ufeff/, '') + (bytes.length % 4 === 0 ? '' : '\ufffd')
}

function characterSet(bytes: Uint8Array, declared: string | undefined): string {
  const wide = markedSet(bytes) ?? unmarkedWide(bytes)
  if (wide !== undefined) return wide
  const named = declaredSet(bytes, declared)
  const characters = utf8Length(bytes)
  // Bytes beyond ASCII are hardly ever valid UTF-8 by chance, so a different declaration is wrong.
  if (characters !== undefined && (named === undefined || characters < bytes.length)) return 'utf-8'
  return named ?? guessedSet(bytes)
}

function markedSet(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, '\xef\xbb\xbf')) return 'utf-8'
  // No UTF-16 text begins with NUL.
  if (startsWith(bytes, '\xff\xfe\0\0')) return 'utf-32le'
  if (startsWith(bytes, '\0\0\xfe\xff')) return 'utf-32be'
  if (startsWith(bytes, '\x84\x31\x95\x33')) return 'gb18030'
  if (startsWith(bytes, '\xff\xfe')) return 'utf-16le'
  if (startsWith(bytes, '\xfe\xff')) return 'utf-16be'
  return undefined
}

/**
 * Detects UTF-16 and UTF-32 without a byte order mark. Of UTF-16, one byte of each pair is often NUL, the other never; of
 * UTF-32, every four bytes are a character, most of them of ASCII, as in no table of numbers.
 */
function unmarkedWide(bytes: Uint8Array): string | undefined {
  if (bytes.length >= 8 && bytes.length % 4 === 0) {
    for (const wide of ['utf-32le', 'utf-32be']) {
      const text = decodedAs(wide, bytes.subarray(0, 4096))
      if (countDamage(text) <= mostDamage && count(text, /[ -~\n]/g) > text.length / 2) return wide
    }
  }
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

function declaredSet(bytes: Uint8Array, declared: string | undefined): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 2048)).toString('latin1')
  const label = declared ?? declarations.map((one) => one.exec(start)?.[1]).find((one) => one !== undefined)
  if (label === undefined) return undefined
  try {
    const { encoding } = new TextDecoder(label.trim())
    // The declaration itself was readable as ASCII, so it is not UTF-16; and UTF-8 has already been tried.
    return encoding.startsWith('utf-') ? undefined : encoding
  } catch {
    return undefined
  }
}

/** How many characters the bytes are; `undefined` where they are not valid UTF-8. */
function utf8Length(bytes: Uint8Array): number | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).length
  } catch {
    return undefined
  }
}

/** Chooses between UTF-8 with invalid bytes and windows-1252, which hardly ever contains a valid UTF-8 sequence. */
function guessedSet(bytes: Uint8Array): string {
  const flawed = new TextDecoder().decode(bytes)
  const broken = count(flawed, /\ufffd/g)
  const whole = count(flawed, /[^\0-\x7f\ufffd]/gu)
  if (whole > broken) return 'utf-8'
  const western = new TextDecoder('windows-1252').decode(bytes)
  if (count(western, /[^\0-\x7f]/g) > western.length * mostAccents) throw binary()
  return 'windows-1252'
}

/**
 * The share of characters that text does not contain: control characters except white space and escape, and invalid bytes.
 * A long run of NULs, such as a log has that was emptied while a program wrote it, is not counted, and neither is Ctrl-Z at
 * the end: the end mark of older systems.
 */
function countDamage(text: string): number {
  const dense = text.replaceAll(/\0{16,}/g, '').replace(END_MARK, '')
  if (dense === '') return text === '' ? 0 : 1
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  return count(dense, /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd\ufffe\uffff]/g) / dense.length
}

// oxlint-disable-next-line no-control-regex -- this is what is looked for
const END_MARK = /\x1a+$/

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

/** Makes a text valid for every store and API: lines end with `\n`; NUL, lone surrogates and an end mark are removed. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '').replace(END_MARK, '').toWellFormed()
}

/** A title on one line of at most 500 characters; none where it is blank. */
export function shownTitle(title: string): { readonly title?: string } {
  const shown = cleanText(title).replace(/\s+/g, ' ').trim().slice(0, 500).toWellFormed()
  return shown === '' ? {} : { title: shown }
}
