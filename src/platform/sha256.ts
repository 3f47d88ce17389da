import { hash } from 'node:crypto'

/** The SHA-256 of bytes, or of the UTF-8 of a text, in lowercase hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex')
}
