/** Beginnings that say what a file is. `?` stands for any byte. */
const SIGNATURES: readonly (readonly [signature: string, kind: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF????WEBP', 'image/webp'],
  ['%PDF-', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b', 'application/gzip'],
  ['\x7fELF', 'application/x-elf'],
  ['SQLite format 3\0', 'application/vnd.sqlite3'],
]

/** Bytes that `binaryKind` wants to see. */
export const BEGINNING = 16

/** Media type of what begins with these bytes, or `undefined` where nothing is known of it. */
export function binaryKind(beginning: Uint8Array): string | undefined {
  return SIGNATURES.find(([signature]) => matches(beginning, signature))?.[1]
}

function matches(beginning: Uint8Array, signature: string): boolean {
  return Array.from(signature).every((sign, index) => sign === '?' || sign.charCodeAt(0) === beginning[index])
}
