/** Whether the bytes say `latin` at `at`, one character a byte. */
export function startsWith(bytes: Uint8Array, latin: string, at = 0): boolean {
  if (bytes.length < at + latin.length) return false
  for (let index = 0; index < latin.length; index += 1) {
    if (bytes[at + index] !== latin.charCodeAt(index)) return false
  }
  return true
}
