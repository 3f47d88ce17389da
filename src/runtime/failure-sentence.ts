import { errorMessage } from '../platform.ts'

/** What an error says, as a whole sentence that others can follow. */
export function failureSentence(error: unknown): string {
  const message = errorMessage(error)
  return /[.!?]$/.test(message) ? message : `${message}.`
}
