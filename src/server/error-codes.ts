import type { ErrorCode } from '../platform.ts'
import type { RuntimeErrorCode } from '../capability.ts'

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
export function statusOf(code: string): number {
  const errors: Readonly<Record<string, HttpError>> = httpErrors
  return (Object.hasOwn(errors, code) ? errors[code] : undefined)?.status ?? 500
}
