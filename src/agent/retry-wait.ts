import { ModelError, type ModelErrorCode } from '../model.ts'

/** A call that failed before its first word. */
export interface FailedTry {
  readonly error: unknown
  readonly retries: number
  /** Since the first failure, ms. */
  readonly elapsedMs: number
}

/** How often and how long failed calls are retried. */
export interface RetryRule {
  /** The least wait before the first retry, the second, …, ms. There are no more retries than waits. */
  readonly delaysMs: readonly number[]
  /** No wait may end later than this after the first failure, ms. */
  readonly forMs: number
  /** Whether a server of this machine that does not run is final: nobody waits until it is started. */
  readonly refusedIsFinal?: boolean
}

/**
 * How long to wait before the next retry of a failed call, ms; `undefined`: do not retry. Calls to a provider that restarts
 * or limits requests are retried as long as the rule allows, and not before the time that the provider names. Any other
 * failure of a provider is retried twice.
 */
export function retryWait(
  { error, retries, elapsedMs }: FailedTry,
  { delaysMs, forMs, refusedIsFinal = false }: RetryRule,
): number | undefined {
  const delay = delaysMs[retries]
  if (delay === undefined || !(error instanceof ModelError) || !isTransient(error, retries)) return undefined
  if (refusedIsFinal && error.facts.refused === true) return undefined
  const wait = Math.max(delay, error.facts.retryAfterMs ?? 0)
  return elapsedMs + wait <= forMs ? wait : undefined
}

const MOST_SERVER_RETRIES = 2

/** HTTP statuses of a proxy or server while the server behind it, or its model, is not ready yet. */
const NOT_READY: ReadonlySet<number> = new Set([502, 503, 504, 521, 522, 523, 524, 529])

function isTransient({ code, facts }: ModelError, retries: number): boolean {
  if (code === 'network' || code === 'rate-limit') return true
  if (facts.status !== undefined && NOT_READY.has(facts.status)) return true
  return code === 'server' && retries < MOST_SERVER_RETRIES
}

const PROVIDER_FAULTS: ReadonlySet<ModelErrorCode> = new Set([
  'network',
  'timeout',
  'server',
  'rate-limit',
  'quota',
  'auth',
  'model-not-found',
  'unexpected-answer',
])

/** Whether a call failed through its provider, so that another provider may answer it. Other failures are of the request. */
export function isProviderFault(error: unknown): error is ModelError {
  return error instanceof ModelError && PROVIDER_FAULTS.has(error.code)
}
