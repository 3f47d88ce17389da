import { ModelError } from '../model.ts'
import { RuntimeError, type RuntimeErrorCode } from '../runtime.ts'
import { SubjectError, type SubjectErrorCode } from '../subject.ts'

/** A failure as a door tells it: a status for programs, a code for programs that look closer, a sentence for people. */
export interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
  /** What else is known. Never a secret. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
}

/** A request that a door refuses by itself. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly failure: Failure

  constructor(
    status: number,
    code: string,
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.failure = { status, code, message, facts, headers }
  }
}

/** What the caller is told of an error. Of one that nobody expected: only that it happened. */
export function failureOf(error: unknown): Failure {
  if (error instanceof HttpFailure) return error.failure
  if (error instanceof RuntimeError || error instanceof ModelError) {
    const facts: Readonly<Record<string, unknown>> = { ...error.facts }
    return {
      status: statusOf(error.code),
      code: error.code,
      message: error.message,
      facts,
      headers: retryAfter(error.code, facts['retryAfterMs']),
    }
  }
  if (error instanceof SubjectError) {
    const { code, message, details } = error
    return { status: subjectStatuses[code], code, message, facts: details, headers: {} }
  }
  return { status: 500, code: 'internal', message: 'Foreword failed inside; its log says how.', facts: {}, headers: {} }
}

/** The caller's own doing is 4xx; a provider that failed is 502 or 504, so that a retry is worth a thought. */
const statuses: Readonly<Record<RuntimeErrorCode, number>> = {
  'invalid-input': 400,
  'bad-request': 400,
  'unsupported-parameter': 400,
  'no-such-session': 404,
  'no-such-turn': 404,
  'no-such-call': 404,
  'no-such-tool': 404,
  'no-such-approval': 404,
  'no-such-record': 404,
  'no-such-file': 404,
  'no-such-subject': 404,
  'model-not-found': 404,
  'key-reused': 409,
  'approval-changed': 409,
  'record-changed': 409,
  'context-overflow': 422,
  'content-filter': 422,
  'rate-limit': 429,
  quota: 429,
  cancelled: 499,
  'missing-content': 500,
  storage: 500,
  internal: 500,
  // The provider's key, not the caller's token: 401 would send people looking in the wrong place.
  auth: 502,
  network: 502,
  'no-answer': 502,
  'prompt-truncated': 502,
  'unexpected-answer': 502,
  server: 502,
  closing: 503,
  timeout: 504,
  'storage-full': 507,
}

const subjectStatuses: Readonly<Record<SubjectErrorCode, number>> = {
  invalid_input: 400,
  not_found: 404,
  exists: 409,
  changed: 409,
  decided: 409,
  unwritable: 500,
}

/** A log may hold codes that another version wrote. */
function statusOf(code: string): number {
  const known: Readonly<Record<string, number>> = statuses
  return Object.hasOwn(known, code) ? known[code]! : 500
}

/** Seconds, rounded up. Rate limits always say one; so does a gateway that is going down. */
function retryAfter(code: RuntimeErrorCode, retryAfterMs: unknown): Readonly<Record<string, string>> {
  if (typeof retryAfterMs === 'number') return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }
  if (code === 'rate-limit') return { 'retry-after': '10' }
  if (code === 'quota') return { 'retry-after': '3600' }
  if (code === 'closing') return { 'retry-after': '5' }
  return {}
}
