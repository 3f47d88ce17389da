import { type Failure, RuntimeError, type RuntimeErrorCode } from '../capability.ts'
import { type ErrorCode, ForewordError } from '../platform.ts'

/** A request that an endpoint refuses. The status of the response follows from the code; see `httpStatuses`. */
export class HttpFailure extends ForewordError {
  override readonly name = 'HttpFailure'
  readonly failure: Failure

  constructor(
    code: HttpErrorCode,
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, message, facts)
    this.failure = { status: httpStatuses[code], code, message, facts, headers }
  }
}

/** The failure that a caller is shown for an error; an unexpected error becomes `internal`, without its message. */
export function toFailure(error: unknown): Failure {
  if (error instanceof HttpFailure) return error.failure
  if (error instanceof ForewordError && error.expose) {
    const { code, message, facts, hint } = error
    return { status: httpStatus(code), code, message, facts, hint, headers: retryAfter(code, facts['retryAfterMs']) }
  }
  return { status: 500, code: 'internal', message: 'Foreword failed; its log has the details.', facts: {}, headers: {} }
}

/** The header `Retry-After`: seconds, rounded up. Rate limits and a gateway that is stopping always have one. */
function retryAfter(code: string, retryAfterMs: unknown): Readonly<Record<string, string>> {
  if (typeof retryAfterMs === 'number') return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }
  if (code === 'rate-limit') return { 'retry-after': '10' }
  if (code === 'quota') return { 'retry-after': '3600' }
  if (code === 'closing') return { 'retry-after': '5' }
  return {}
}

/** The error for a session that does not exist. */
export function unknownSessionFailure(session: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `There is no session ${session}. \`foreword sessions\` or GET /api/sessions lists them.`,
    { session },
  )
}

/** The error for a turn that the session does not have. */
export function turnNotFound(session: string, turn: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `Session ${session} has no turn ${turn}. GET /api/sessions/${session}/turns lists its turns.`,
    { session, turn },
  )
}

/** The error for a call that the ledger does not have. */
export function callNotFound(call: string): RuntimeError {
  return new RuntimeError(
    'not-found',
    `There is no call ${call}. \`foreword calls SESSION\` or GET /api/sessions/SESSION/calls lists the calls of a session.`,
    { call },
  )
}

/**
 * The codes of `platform/error-codes.ts` that an answer over HTTP can have, each with its status. Errors of the caller are
 * 4xx; a failure of a provider is 502 or 504, so that a client considers a retry.
 */
export const httpStatuses = {
  'invalid-input': 400,
  'bad-request': 400,
  'unsupported-parameter': 400,
  'append-only': 400,
  unauthorized: 401,
  'host-not-allowed': 403,
  'origin-not-allowed': 403,
  'not-found': 404,
  'model-not-found': 404,
  'method-not-allowed': 405,
  'key-reused': 409,
  exists: 409,
  changed: 409,
  decided: 409,
  'no-text': 409,
  'body-too-large': 413,
  'file-too-large': 413,
  'unsupported-media-type': 415,
  'context-overflow': 422,
  'content-filter': 422,
  'rate-limit': 429,
  quota: 429,
  cancelled: 499,
  internal: 500,
  storage: 500,
  'missing-content': 500,
  unwritable: 500,
  // The provider's key, not the caller's token: 401 would send people looking in the wrong place.
  auth: 502,
  network: 502,
  server: 502,
  'prompt-truncated': 502,
  'no-answer': 502,
  'unexpected-answer': 502,
  closing: 503,
  timeout: 504,
  'storage-full': 507,
} as const satisfies Readonly<Partial<Record<ErrorCode, number>> & Record<RuntimeErrorCode, number>>

/** Every code that an answer of the gateway can have. */
export type HttpErrorCode = keyof typeof httpStatuses

/** The HTTP status of a code; 500 for a code of another version, which a log may contain. */
function httpStatus(code: string): number {
  const statuses: Readonly<Record<string, number>> = httpStatuses
  return (Object.hasOwn(statuses, code) ? statuses[code] : undefined) ?? 500
}
