/** What an error says, as a whole sentence that others can follow. */
export function failureSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /[.!?]$/.test(message) ? message : `${message}.`
}
