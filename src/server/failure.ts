import type { Failure } from '../capability.ts'
import { ForewordError } from '../platform.ts'
import { type HttpErrorCode, type httpErrors, statusOf } from './error-codes.ts'

/** A request that an endpoint refuses by itself. */
export class HttpFailure<Code extends HttpErrorCode = HttpErrorCode> extends ForewordError {
  override readonly name = 'HttpFailure'
  readonly failure: Failure

  constructor(
    status: (typeof httpErrors)[Code]['status'],
    code: Code,
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, message, facts)
    this.failure = { status, code, message, facts, headers }
  }
}

/** What the caller is told of an error. Of one that nobody expected: only that it happened. */
export function failureOf(error: unknown): Failure {
  if (error instanceof HttpFailure) return error.failure
  if (error instanceof ForewordError && error.expose) {
    const { code, message, facts, hint } = error
    return { status: statusOf(code), code, message, facts, hint, headers: retryAfter(code, facts['retryAfterMs']) }
  }
  return { status: 500, code: 'internal', message: 'Foreword failed inside; its log says how.', facts: {}, headers: {} }
}

/** Seconds, rounded up. Rate limits always say one; so does a gateway that is going down. */
function retryAfter(code: string, retryAfterMs: unknown): Readonly<Record<string, string>> {
  if (typeof retryAfterMs === 'number') return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }
  if (code === 'rate-limit') return { 'retry-after': '10' }
  if (code === 'quota') return { 'retry-after': '3600' }
  if (code === 'closing') return { 'retry-after': '5' }
  return {}
}
