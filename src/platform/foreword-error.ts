/** What an error may carry beside its code, message and facts. */
export interface ForewordErrorOptions extends ErrorOptions {
  /** How to fix it, in a sentence of its own. */
  readonly hint?: string | undefined
}

/**
 * The base class of every error that Foreword throws for programs and people. `code` is for programs (`error-codes.ts` lists
 * the codes), `message` says what failed and where, `facts` repeats that as data, `hint` says how to fix it. None of them
 * ever contains a secret.
 */
export class ForewordError extends Error {
  override readonly name: string = 'ForewordError'
  readonly code: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly hint: string | undefined
  /** Whether a client of the gateway may read the message. Errors of files and stores are for the log alone. */
  readonly expose: boolean = true

  constructor(
    code: string,
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
    { hint, ...options }: ForewordErrorOptions = {},
  ) {
    super(message, options)
    this.code = code
    this.facts = facts
    this.hint = hint
  }
}

/** The message of an error; anything else that was thrown, as a string. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Ends a phrase with a full stop, unless it ends as a sentence does, so that another sentence can follow. */
export function asSentence(phrase: string): string {
  return /[.!?]$/.test(phrase) ? phrase : `${phrase}.`
}
