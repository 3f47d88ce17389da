import { jsonParts } from './json-parts.ts'

/** The SHA-256 of bytes, or of the UTF-8 of a text, in lowercase hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  // Loaded with the first use: it would delay the start of every command by 5 ms.
  return process.getBuiltinModule('node:crypto').hash('sha256', content, 'hex')
}

/** The SHA-256 of the JSON of a value, in lowercase hexadecimal. */
export function sha256OfJson(value: unknown): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  for (const part of jsonParts(value)) hash.update(part)
  return hash.digest('hex')
}
