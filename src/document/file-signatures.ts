import { startsWith } from '../context.ts'
import type { Unreadable } from './document.ts'

/** What the first bytes of a file give away, where its text is not taken out. */
export interface Refusal {
  readonly type: 'refused'
  readonly code: Unreadable['code']
  readonly reason: string
  readonly mediaType: string
}

const archive = 'it is an archive; unpack it and hand in the files'
const sound = 'it is a recording; sound and film are not read'
const picture = 'it is an image of a kind that models do not take; save it as PNG or JPEG'
const program = 'it is a program'

/** `at` is where the sign stands, in bytes; `latin` is the sign, one character a byte. */
const signatures: readonly {
  at: number
  latin: string
  mediaType: string
  code: Unreadable['code']
  reason: string
}[] = [
  { at: 0, latin: '\x1f\x8b', mediaType: 'application/gzip', code: 'unsupported', reason: archive },
  { at: 0, latin: 'BZh', mediaType: 'application/x-bzip2', code: 'unsupported', reason: archive },
  { at: 0, latin: '\xfd7zXZ\0', mediaType: 'application/x-xz', code: 'unsupported', reason: archive },
  {
    at: 0,
    latin: '7z\xbc\xaf\x27\x1c',
    mediaType: 'application/x-7z-compressed',
    code: 'unsupported',
    reason: archive,
  },
  { at: 0, latin: 'Rar!\x1a\x07', mediaType: 'application/vnd.rar', code: 'unsupported', reason: archive },
  { at: 0, latin: '\x28\xb5\x2f\xfd', mediaType: 'application/zstd', code: 'unsupported', reason: archive },
  { at: 257, latin: 'ustar', mediaType: 'application/x-tar', code: 'unsupported', reason: archive },
  { at: 0, latin: 'ID3', mediaType: 'audio/mpeg', code: 'unsupported', reason: sound },
  { at: 0, latin: 'fLaC', mediaType: 'audio/flac', code: 'unsupported', reason: sound },
  { at: 0, latin: 'OggS', mediaType: 'application/ogg', code: 'unsupported', reason: sound },
  { at: 8, latin: 'WAVEfmt', mediaType: 'audio/wav', code: 'unsupported', reason: sound },
  { at: 8, latin: 'AVI LIST', mediaType: 'video/x-msvideo', code: 'unsupported', reason: sound },
  { at: 0, latin: '\x1a\x45\xdf\xa3', mediaType: 'video/x-matroska', code: 'unsupported', reason: sound },
  { at: 4, latin: 'ftyphei', mediaType: 'image/heic', code: 'unsupported', reason: picture },
  { at: 4, latin: 'ftypmif1', mediaType: 'image/heif', code: 'unsupported', reason: picture },
  { at: 4, latin: 'ftypM4A', mediaType: 'audio/mp4', code: 'unsupported', reason: sound },
  { at: 4, latin: 'ftyp', mediaType: 'video/mp4', code: 'unsupported', reason: sound },
  { at: 0, latin: 'II*\0', mediaType: 'image/tiff', code: 'unsupported', reason: picture },
  { at: 0, latin: 'MM\0*', mediaType: 'image/tiff', code: 'unsupported', reason: picture },
  { at: 0, latin: '\0\0\x01\0', mediaType: 'image/vnd.microsoft.icon', code: 'unsupported', reason: picture },
  { at: 0, latin: '8BPS', mediaType: 'image/vnd.adobe.photoshop', code: 'unsupported', reason: picture },
  { at: 0, latin: '\x7fELF', mediaType: 'application/x-elf', code: 'binary', reason: program },
  { at: 0, latin: 'MZ', mediaType: 'application/vnd.microsoft.portable-executable', code: 'binary', reason: program },
  { at: 0, latin: '\xcf\xfa\xed\xfe', mediaType: 'application/x-mach-binary', code: 'binary', reason: program },
  { at: 0, latin: '\0asm', mediaType: 'application/wasm', code: 'binary', reason: program },
  {
    at: 0,
    latin: 'SQLite format 3\0',
    mediaType: 'application/vnd.sqlite3',
    code: 'binary',
    reason: 'it is a database',
  },
]

/** What is known not to be read. Ask only for bytes that are no text: a sentence may begin with `MZ`. */
export function refusalOf(bytes: Uint8Array): Refusal | undefined {
  const found = signatures.find(({ at, latin }) => startsWith(bytes, latin, at))
  return found && { type: 'refused', code: found.code, reason: found.reason, mediaType: found.mediaType }
}
