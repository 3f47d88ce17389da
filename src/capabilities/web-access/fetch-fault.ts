import { type Clock, defined, type ErrorCode, ForewordError, withTimeout } from '../../platform.ts'

/** Why nothing was fetched, in one word that a program can use, and the code of the error that it is. */
const CODES = {
  /** The guard does not let it through: nothing was sent there. */
  refused: 'invalid-input',
  'unknown-host': 'network',
  unreachable: 'network',
  timeout: 'timeout',
  cancelled: 'cancelled',
  redirects: 'network',
  status: 'network',
  'too-large': 'too-large',
  /** A kind of content, or a coding, that Foreword does not read. */
  unsupported: 'unsupported',
  /** The response is incomplete or not what it claims to be. */
  broken: 'network',
} as const satisfies Readonly<Record<string, ErrorCode>>

export type FetchFaultKind = keyof typeof CODES

/** Nothing was fetched. The message is a sentence for the model: it names no address that a name led to, and no key. */
export class FetchFault extends ForewordError {
  override readonly name = 'FetchFault'
  readonly kind: FetchFaultKind

  /** `status`: of an answer with another status than success. */
  constructor(
    kind: FetchFaultKind,
    message: string,
    { status, cause }: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(CODES[kind], message, defined({ kind, status }), { cause })
    this.kind = kind
  }
}

/** What went wrong, as a fault: of an error of the system only its code, since its words would name addresses. */
export function fetchFault(error: unknown, what: string): FetchFault {
  if (error instanceof FetchFault) return error
  const { code } = error as { readonly code?: unknown }
  return new FetchFault('broken', typeof code === 'string' ? `${what} (${code})` : what, { cause: error })
}

interface TimeLimit {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly what: string
}

/**
 * Waits no longer than `ms` and than `signal` allows. `what` begins the sentence about the timeout. Throws what
 * `work` throws, or a `FetchFault` (`timeout`, `cancelled`).
 */
export async function inTime<Value>(
  work: Promise<Value>,
  milliseconds: number,
  { clock, signal, what }: TimeLimit,
): Promise<Value> {
  const error = () => new FetchFault('timeout', `${what} within ${milliseconds.toLocaleString('en-US')} ms`)
  try {
    return await withTimeout(clock, work, milliseconds, { signal, error })
  } catch (thrown) {
    throw signal.aborted ? new FetchFault('cancelled', 'it was cancelled') : thrown
  }
}

/**
 * As `inTime`, for work that a signal ends: it is aborted when the time is up, when `signal` is, and when the work is
 * done.
 */
export async function endInTime<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  milliseconds: number,
  options: TimeLimit,
): Promise<Value> {
  const end = new AbortController()
  try {
    return await inTime(work(AbortSignal.any([options.signal, end.signal])), milliseconds, options)
  } finally {
    end.abort()
  }
}
