/** The SHA-256 of bytes, or of the UTF-8 of a text, in lowercase hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  // Loaded with the first use: it would delay the start of every command by 5 ms.
  return process.getBuiltinModule('node:crypto').hash('sha256', content, 'hex')
}
