/** Why nothing was fetched, in one word that a program can use. */
export type FetchFaultCode =
  /** The guard does not let it through: nothing was sent there. */
  | 'refused'
  | 'unknown-host'
  | 'unreachable'
  | 'timeout'
  | 'cancelled'
  | 'redirects'
  /** It was answered, but with another status than success. */
  | 'status'
  | 'too-large'
  /** A kind of content, or a coding, that is not read. */
  | 'unsupported'
  /** The answer breaks off or is not what it says it is. */
  | 'broken'

/** Nothing was fetched. The message is a sentence for the model: it names no address that a name led to, and no key. */
export class FetchFault extends Error {
  override readonly name = 'FetchFault'
  readonly code: FetchFaultCode
  /** Of `status`: which. */
  readonly status?: number

  constructor(
    code: FetchFaultCode,
    message: string,
    facts: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: facts.cause })
    this.code = code
    if (facts.status !== undefined) this.status = facts.status
  }
}

/** What went wrong, as a fault: its code alone where it is an error of the system, whose words would tell addresses. */
export function faultOf(error: unknown, what: string): FetchFault {
  if (error instanceof FetchFault) return error
  const { code } = error as { readonly code?: unknown }
  return new FetchFault('broken', typeof code === 'string' ? `${what} (${code})` : what, { cause: error })
}
