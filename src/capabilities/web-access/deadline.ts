import { orAborted } from '../../platform.ts'
import { FetchFault } from './fetch-fault.ts'

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
