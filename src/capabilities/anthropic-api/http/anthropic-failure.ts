import { randomUUID } from 'node:crypto'
import type { ErrorFormat, Failure } from '../../../capability.ts'
import { defined, type ErrorCode, type ErrorMeaning, errorCodes } from '../../../platform.ts'

/**
 * A failure in Anthropic's format, with the statuses and types that its clients act on
 * (https://platform.claude.com/docs/en/api/errors). For a prompt that is too large the sentence is Anthropic's own,
 * because clients parse it.
 */
export function anthropicFailure(failure: Failure): ReturnType<ErrorFormat['format']> {
  const { code, facts, hint } = failure
  const sentence = (code === 'context-overflow' && overflowSentence(facts)) || failure.message
  const message = hint === undefined ? sentence : `${sentence} ${hint}`
  const status = STATUSES[code as ErrorCode] ?? failure.status
  const request = typeof facts['call'] === 'string' ? facts['call'] : `req_${randomUUID()}`
  const error = {
    ...facts,
    code,
    ...defined({ hint }),
    type: TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'),
    message,
  }
  return {
    status,
    body: { type: 'error', error, request_id: request },
    headers: { 'request-id': request, ...(isRetriedInVain(code, status) ? { 'x-should-retry': 'false' } : {}) },
  }
}

/** Statuses of Anthropic for what has another one here. */
const STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = {
  'context-overflow': 400,
  'content-filter': 400,
  // The account at the provider is empty: to ask again does not fill it.
  quota: 402,
  closing: 529,
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** Clients repeat a request after these statuses, unless a header says that this is of no use. */
function isRetriedInVain(code: string, status: number): boolean {
  const known: Readonly<Record<string, ErrorMeaning>> = errorCodes
  const { retryable } = (Object.hasOwn(known, code) ? known[code] : undefined) ?? {}
  return status === 402 || (!retryable && (status === 408 || status === 409 || status === 429 || status >= 500))
}

/** Clients look for these words and numbers. `undefined` where the size of the prompt is not known. */
function overflowSentence({ limit, sent, reserve = 0, said }: Failure['facts']): string | undefined {
  if (typeof sent !== 'number' || typeof reserve !== 'number') return undefined
  // What the answer needs is not for the prompt.
  const most = typeof limit === 'number' ? Math.max(0, Math.min(limit - reserve, sent - 1)) : sent - 1
  const words = typeof said === 'string' ? ` The provider said: ${said}` : ''
  return `prompt is too long: ${sent} tokens > ${most} maximum${words}`
}
