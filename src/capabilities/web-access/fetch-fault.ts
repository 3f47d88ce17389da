import { orAborted } from '../../platform.ts'

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

/** A time limit that also ends when somebody cancels. `done` has to be called, or the process waits for its timer. */
export interface Deadline {
  /** Its reason is a `FetchFault`. */
  readonly signal: AbortSignal
  /** Rejects once the time is over or somebody has cancelled; what comes of `work` later is of no interest to anybody. */
  within<Value>(work: Promise<Value>): Promise<Value>
  done(): void
}

/** `words`: what took longer than `milliseconds`. */
export function deadline(outer: AbortSignal, milliseconds: number, words: string): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  const timer = setTimeout(() => {
    controller.abort(new FetchFault('timeout', `${words} within ${milliseconds.toLocaleString('en-US')} ms`))
  }, milliseconds)
  const cancel = () => controller.abort(cancellation(outer))
  if (outer.aborted) cancel()
  else outer.addEventListener('abort', cancel, { once: true })
  return {
    signal,
    within: (work) => orAborted(work, signal),
    done() {
      clearTimeout(timer)
      outer.removeEventListener('abort', cancel)
    },
  }
}

function cancellation({ reason }: AbortSignal): FetchFault {
  return reason instanceof FetchFault ? reason : new FetchFault('cancelled', 'it was cancelled')
}
