import type { RuntimeErrorCode } from '../runtime.ts'
import type { SubjectErrorCode } from '../capabilities/subjects/core.ts'

/** Codes that HTTP itself gives, beside those of the runtime, of models and of subjects. */
type OwnErrorCode =
  | 'unauthorized'
  | 'host-not-allowed'
  | 'origin-not-allowed'
  | 'method-not-allowed'
  | 'no-text'
  | 'append-only'
  | 'body-too-large'
  | 'file-too-large'
  | 'unsupported-media-type'

/** Every code that an answer of the gateway can have. */
export type ErrorCode = OwnErrorCode | RuntimeErrorCode | SubjectErrorCode

/** What a code stands for. */
export interface ErrorKind {
  /** The caller's own doing is 4xx; a provider that failed is 502 or 504, so that a retry is worth a thought. */
  readonly status: number
  readonly meaning: string
  /** As OpenAI's clients know it, under `/v1`; the same word unless given. */
  readonly openai?: { readonly code: string; readonly status?: number }
}

/** The vocabulary of errors over HTTP, in the order of the guide (docs/guide/http.md, which is checked against it). */
export const errorCodes = {
  'invalid-input': { status: 400, meaning: 'The request is not as it has to be; the message names the field.' },
  'bad-request': { status: 400, meaning: 'The provider refused the request.' },
  'unsupported-parameter': {
    status: 400,
    meaning: '`parameter` has no place on the wire of this model.',
    openai: { code: 'unsupported_parameter' },
  },
  'append-only': { status: 400, meaning: 'The log only grows: `regenerate` is refused.' },
  unauthorized: { status: 401, meaning: 'The token is missing or wrong.', openai: { code: 'invalid_api_key' } },
  'host-not-allowed': { status: 403, meaning: '`Host` is not a name of this gateway.' },
  'origin-not-allowed': { status: 403, meaning: 'The page comes from another origin.' },
  'not-found': {
    status: 404,
    meaning: 'There is no such thing; the facts name it: `session`, `turn`, `call`, `file`, `subject`, `path`, …',
  },
  'model-not-found': { status: 404, meaning: 'There is no such model.', openai: { code: 'model_not_found' } },
  'method-not-allowed': { status: 405, meaning: 'The endpoint has other methods; `Allow` lists them.' },
  'key-reused': {
    status: 409,
    meaning: 'This idempotency key belongs to another message, or to a turn that was taken back.',
  },
  exists: { status: 409, meaning: 'A subject of this id exists already.' },
  changed: { status: 409, meaning: 'Somebody has changed it since you looked at it.' },
  decided: { status: 409, meaning: 'Somebody has decided already, or `digest` is that of something else.' },
  'no-text': { status: 409, meaning: 'The file has no text; the message says why.' },
  'body-too-large': { status: 413, meaning: 'The body is larger than `gateway.maxBodyBytes` allows.' },
  'file-too-large': { status: 413, meaning: 'The file is larger than `files.maxBytes`.' },
  'unsupported-media-type': { status: 415, meaning: 'The body is not of the type that the endpoint reads.' },
  'context-overflow': {
    status: 422,
    meaning: 'The prompt is too large for the model.',
    openai: { code: 'context_length_exceeded', status: 400 },
  },
  'content-filter': {
    status: 422,
    meaning: 'The provider refused the content.',
    openai: { code: 'content_filter', status: 400 },
  },
  'rate-limit': {
    status: 429,
    meaning: 'The provider limits requests; with `Retry-After`.',
    openai: { code: 'rate_limit_exceeded' },
  },
  quota: {
    status: 429,
    meaning: 'The account at the provider has no credit left; with `Retry-After`.',
    openai: { code: 'insufficient_quota' },
  },
  cancelled: { status: 499, meaning: 'Somebody cancelled the turn or the call.' },
  internal: { status: 500, meaning: 'Foreword failed inside; its log says how.' },
  storage: { status: 500, meaning: 'The store could not be read or written.' },
  'missing-content': { status: 500, meaning: 'A text that the log refers to is not in the store any more.' },
  unwritable: { status: 500, meaning: 'A file of a subject cannot be written; the message names it.' },
  // The provider's key, not the caller's token: 401 would send people looking in the wrong place.
  auth: { status: 502, meaning: "The provider refused the gateway's key." },
  network: { status: 502, meaning: 'The provider cannot be reached, or its answer broke off.' },
  server: { status: 502, meaning: 'The provider failed.' },
  'prompt-truncated': { status: 502, meaning: 'The provider read less than it was sent.' },
  'no-answer': { status: 502, meaning: 'The model said nothing.' },
  'unexpected-answer': { status: 502, meaning: 'What came back is no answer of a model.' },
  closing: { status: 503, meaning: 'The gateway is stopping; with `Retry-After`.' },
  timeout: { status: 504, meaning: 'The provider did not answer in time.' },
  'storage-full': { status: 507, meaning: 'The disk is full.' },
} as const satisfies Readonly<Record<ErrorCode, ErrorKind>>

/** The HTTP status of a code. A log may hold codes that another version wrote. */
export function statusOf(code: string): number {
  return kindOf(code)?.status ?? 500
}

/** A code as OpenAI's clients know it. */
export function openaiKindOf(code: string): { readonly code: string; readonly status?: number } {
  return kindOf(code)?.openai ?? { code }
}

function kindOf(code: string): ErrorKind | undefined {
  const kinds: Readonly<Record<string, ErrorKind>> = errorCodes
  return Object.hasOwn(kinds, code) ? kinds[code] : undefined
}
