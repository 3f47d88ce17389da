/** What was thrown, in words: the message of an error, and anything else as a text. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
