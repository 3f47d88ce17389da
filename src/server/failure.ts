import { type Failure, RuntimeError, type RuntimeErrorCode } from '../capability.ts'
import { type ErrorCode, ForewordError } from '../platform.ts'

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

/** What the caller learns of an error. Of one that nobody expected: only that it happened. */
export function failureOf(error: unknown): Failure {
  if (error instanceof HttpFailure) return error.failure
  if (error instanceof ForewordError && error.expose) {
    const { code, message, facts, hint } = error
    return { status: httpStatus(code), code, message, facts, hint, headers: retryAfter(code, facts['retryAfterMs']) }
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

export function noSuchSession(session: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `There is no session ${session}. \`foreword sessions\` or GET /api/sessions lists them.`,
    {
      session,
    },
  )
}

export function turnNotFound(session: string, turn: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `Session ${session} has no turn ${turn}. GET /api/sessions/${session}/turns lists its turns.`,
    { session, turn },
  )
}

export function callNotFound(call: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `There is no call ${call}. \`foreword calls SESSION\` or GET /api/sessions/SESSION/calls lists the calls of a session.`,
    { call },
  )
}

/** What a code becomes on the wire. */
export interface HttpError {
  /** The caller's own doing is 4xx; a provider that failed is 502 or 504, so that a retry is worth a thought. */
  readonly status: number
}

/** The codes of `platform/error-codes.ts` that HTTP has, each with its status. */
export const httpErrors = {
  'invalid-input': { status: 400 },
  'bad-request': { status: 400 },
  'unsupported-parameter': { status: 400 },
  'append-only': { status: 400 },
  unauthorized: { status: 401 },
  'host-not-allowed': { status: 403 },
  'origin-not-allowed': { status: 403 },
  'not-found': { status: 404 },
  'model-not-found': { status: 404 },
  'method-not-allowed': { status: 405 },
  'key-reused': { status: 409 },
  exists: { status: 409 },
  changed: { status: 409 },
  decided: { status: 409 },
  'no-text': { status: 409 },
  'body-too-large': { status: 413 },
  'file-too-large': { status: 413 },
  'unsupported-media-type': { status: 415 },
  'context-overflow': { status: 422 },
  'content-filter': { status: 422 },
  'rate-limit': { status: 429 },
  quota: { status: 429 },
  cancelled: { status: 499 },
  internal: { status: 500 },
  storage: { status: 500 },
  'missing-content': { status: 500 },
  unwritable: { status: 500 },
  // The provider's key, not the caller's token: 401 would send people looking in the wrong place.
  auth: { status: 502 },
  network: { status: 502 },
  server: { status: 502 },
  'prompt-truncated': { status: 502 },
  'no-answer': { status: 502 },
  'unexpected-answer': { status: 502 },
  closing: { status: 503 },
  timeout: { status: 504 },
  'storage-full': { status: 507 },
} as const satisfies Readonly<Partial<Record<ErrorCode, HttpError>> & Record<RuntimeErrorCode, HttpError>>

/** Every code that an answer of the gateway can have. */
export type HttpErrorCode = keyof typeof httpErrors

/** The HTTP status of a code. A log may hold codes that another version wrote. */
function httpStatus(code: string): number {
  const errors: Readonly<Record<string, HttpError>> = httpErrors
  return (Object.hasOwn(errors, code) ? errors[code] : undefined)?.status ?? 500
}
