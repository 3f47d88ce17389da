/** Signatures of file types, one character per byte, from byte `at`. For images that models accept, see `imageType`. */
const signatures: readonly (readonly [at: number, latin: string, mediaType: string])[] = [
  [0, '%PDF-', 'application/pdf'],
  [0, 'PK\x03\x04', 'application/zip'],
  [0, '\x1f\x8b', 'application/gzip'],
  [0, 'BZh', 'application/x-bzip2'],
  [0, '\xfd7zXZ\0', 'application/x-xz'],
  [0, '7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
  [0, 'Rar!\x1a\x07', 'application/vnd.rar'],
  [0, '\x28\xb5\x2f\xfd', 'application/zstd'],
  [257, 'ustar', 'application/x-tar'],
  [0, 'ID3', 'audio/mpeg'],
  [0, 'fLaC', 'audio/flac'],
  [0, 'OggS', 'application/ogg'],
  [8, 'WAVEfmt', 'audio/wav'],
  [8, 'AVI LIST', 'video/x-msvideo'],
  [0, '\x1a\x45\xdf\xa3', 'video/x-matroska'],
  [4, 'ftyphei', 'image/heic'],
  [4, 'ftypmif1', 'image/heif'],
  [4, 'ftypM4A', 'audio/mp4'],
  [4, 'ftyp', 'video/mp4'],
  [0, 'II*\0', 'image/tiff'],
  [0, 'MM\0*', 'image/tiff'],
  [0, '\0\0\x01\0', 'image/vnd.microsoft.icon'],
  [0, '8BPS', 'image/vnd.adobe.photoshop'],
  [0, '\x7fELF', 'application/x-elf'],
  [0, 'MZ', 'application/vnd.microsoft.portable-executable'],
  [0, '\xcf\xfa\xed\xfe', 'application/x-mach-binary'],
  [0, '\0asm', 'application/wasm'],
  [0, 'SQLite format 3\0', 'application/vnd.sqlite3'],
]

/** The number of bytes that `signatureType` reads. */
export const SIGNATURE_BYTES = 264

/** The media type by the first bytes of a file. Only for bytes that are not text: a sentence may begin with `MZ`. */
export function signatureType(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, SIGNATURE_BYTES)).toString('latin1')
  return signatures.find(([at, latin]) => beginning.startsWith(latin, at))?.[2]
}
