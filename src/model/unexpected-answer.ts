/** An answer with a good status that is no stream of a model: a page, one document, or nothing at all. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  /** As the server named it, without parameters; empty where it did not. */
  readonly contentType: string
  /** Its first words; empty where it has none. */
  readonly responseBody: string

  constructor(contentType: string, responseBody: string) {
    super('the answer is no stream')
    this.contentType = contentType
    this.responseBody = responseBody
  }
}

/** The `UnexpectedAnswer` in a chain of causes. */
export function unexpectedIn(error: unknown): UnexpectedAnswer | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at instanceof UnexpectedAnswer) return at
  }
  return undefined
}
