import { type RetryNotice, type RetryRule, retryWait } from '../../agent.ts'
import { ModelError } from '../../model.ts'
import type { Clock } from '../../capability.ts'
import { turnClock } from '../clock.ts'

/** What the wait for a provider needs from the world. */
export interface Waiting {
  readonly rule: RetryRule
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Tells whoever watches. */
  readonly show: (notice: RetryNotice) => void
}

/**
 * Prepares a turn. A provider that has to be asked about its model first may be restarting: it is waited for as it would be
 * by the turn's calls. Rejects with the last failure, and with the reason of `signal` once it is aborted.
 */
export async function patientPrepare<Prepared>(
  prepare: () => Promise<Prepared>,
  { rule, clock, signal, show }: Waiting,
): Promise<Prepared> {
  const began = clock.monotonic()
  for (let retries = 0; ; retries += 1) {
    try {
      return await prepare()
    } catch (error) {
      signal.throwIfAborted()
      const waitMs = retryWait({ error, retries, elapsedMs: clock.monotonic() - began }, rule)
      if (waitMs === undefined || !(error instanceof ModelError)) throw error
      show({ type: 'retry', attempt: retries + 2, waitMs, code: error.code, message: error.message })
      await turnClock(clock).sleep(waitMs, signal)
      signal.throwIfAborted()
    }
  }
}
