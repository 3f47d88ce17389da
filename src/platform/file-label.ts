/**
 * The name of a file as people and models read it, however a system or a mail program writes it. It is a label: bytes are
 * stored by their digest and files are named by their ids, so that no two names can become one file.
 */
export function fileLabel(given: string): string {
  return decodedWords(given)
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
    .trim()
}

/** A name that consists of encoded words (RFC 2047), as in mails, in the characters that they stand for. */
function decodedWords(name: string): string {
  if (!/^\s*(?:=\?[\w-]+(?:\*[\w-]+)?\?[bq]\?[^?\s]*\?=\s*)+$/i.test(name)) return name
  try {
    return name.replaceAll(
      /\s*=\?([\w-]+)(?:\*[\w-]+)?\?([bq])\?([^?\s]*)\?=\s*/gi,
      (_, set: string, how: string, text: string) => {
        const quoted = text
          .replaceAll('_', ' ')
          .replaceAll(/=([\da-f]{2})/gi, (__, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
        const bytes = how.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : Buffer.from(quoted, 'latin1')
        return new TextDecoder(set, { fatal: true }).decode(bytes)
      },
    )
  } catch {
    return name
  }
}
