import { ModelError } from '../model.ts'

/** What is known when a call has failed before its first word. */
export interface FailedTry {
  readonly error: unknown
  /** Tries that were made again before this one. */
  readonly retries: number
  /** Since the first failure, ms. */
  readonly elapsedMs: number
}

export interface RetryRule {
  /** Least waits before the first retry, the second, …, ms. There are no more retries than waits. */
  readonly delaysMs: readonly number[]
  /** No wait may end later than so long after the first failure, ms. */
  readonly forMs: number
}

/**
 * How long to wait before a failed call is made once more, ms; `undefined`: not again. A provider that restarts, or asks to
 * be left alone, is waited for as long as the rule allows; where it says how long, that is followed. A plain failure of a
 * provider's own is tried again twice.
 */
export function retryWait(
  { error, retries, elapsedMs }: FailedTry,
  { delaysMs, forMs }: RetryRule,
): number | undefined {
  const delay = delaysMs[retries]
  if (delay === undefined || !(error instanceof ModelError) || !mayPass(error, retries)) return undefined
  const wait = Math.max(delay, error.facts.retryAfterMs ?? 0)
  return elapsedMs + wait <= forMs ? wait : undefined
}

const FEW = 2

/** What a proxy or a server says while the server behind it, or the model in it, is not up yet. */
const NOT_UP_YET: ReadonlySet<number> = new Set([502, 503, 504, 521, 522, 523, 524, 529])

function mayPass({ code, facts }: ModelError, retries: number): boolean {
  if (code === 'network' || code === 'rate-limit') return true
  if (facts.status !== undefined && NOT_UP_YET.has(facts.status)) return true
  return code === 'server' && retries < FEW
}
