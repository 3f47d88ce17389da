import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Failure } from '../../capability.ts'
import { callFormat } from '../../foreign.ts'
import { readThroughAddress } from './address.ts'
import { answerHeaders } from './returning-answer.ts'

/**
 * A failure in the form of the API that was called. A refusal for money or a rule is 402, of which Claude Code,
 * opencode and pi make one call, and on Responses 400: of 402 Codex makes six calls there, of 403 two, and 429 hides
 * the message and is repeated by opencode and pi.
 */
export function refuseCall(given: Failure, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const failure =
    given.code === 'unauthorized'
      ? { ...given, hint: TOKEN_PLACES }
      : // The key of the gateway that is missing here is what a provider would have answered 401 for.
        given.code === 'auth'
        ? { ...given, status: 401 }
        : given
  const { path } = readThroughAddress(incoming.url ?? '')
  const status = NEVER_AGAIN.has(failure.code) ? (/\/responses(?:$|[/?])/.test(path) ? 400 : 402) : failure.status
  const isGoogle = callFormat({ method: 'POST', path, headers: {} }) === 'generate-content'
  const form = isGoogle ? googleError : isMessages(path, incoming) ? messagesError : openaiError
  const text = JSON.stringify(form(failure, status))
  outgoing.writeHead(status, {
    ...answerHeaders,
    ...failure.headers,
    ...(NEVER_AGAIN.has(failure.code) && { 'x-should-retry': 'false' }),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    // What is left of a body that was not read is not read as the next request.
    ...(!incoming.complete && { connection: 'close' }),
  })
  outgoing.end(text)
}

/** A program has its own key where a token of the gateway would be for everything else. */
const TOKEN_PLACES =
  'The token of the gateway belongs into the header `x-foreword-token`, into the place of the API key, or into the address: `/through/@TOKEN/PROVIDER`.'

const NEVER_AGAIN: ReadonlySet<string> = new Set(['over-budget', 'secret-in-body'])

function isMessages(path: string, { headers }: IncomingMessage): boolean {
  return headers['anthropic-version'] !== undefined || /\/messages(?:$|[/?])|:(?:streamR|r)awPredict/.test(path)
}

/** https://platform.claude.com/docs/en/api/errors */
function messagesError({ code, message, hint, status }: Failure): object {
  const type =
    MESSAGES_TYPES[code] ?? (status === 404 ? 'not_found_error' : status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message: sentence(message, hint), code } }
}

const MESSAGES_TYPES: Readonly<Record<string, string>> = {
  unauthorized: 'authentication_error',
  auth: 'authentication_error',
  'host-not-allowed': 'permission_error',
  'origin-not-allowed': 'permission_error',
  forbidden: 'permission_error',
  'secret-in-body': 'permission_error',
  'over-budget': 'billing_error',
  'body-too-large': 'request_too_large',
  'too-many-attempts': 'rate_limit_error',
}

/** https://google.aip.dev/193 */
function googleError({ code: reason, message, hint }: Failure, code: number): object {
  return { error: { code, message: sentence(message, hint), status: GOOGLE_STATUSES[code] ?? 'INTERNAL', reason } }
}

const GOOGLE_STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
}

/** https://platform.openai.com/docs/guides/error-codes */
function openaiError({ code, message, hint }: Failure, status: number): object {
  const type = OPENAI_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
  return { error: { message: sentence(message, hint), type, param: null, code: OPENAI_CODES[code] ?? code } }
}

const OPENAI_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  429: 'rate_limit_error',
}

const OPENAI_CODES: Readonly<Record<string, string>> = {
  unauthorized: 'invalid_api_key',
  auth: 'invalid_api_key',
  'over-budget': 'insufficient_quota',
}

function sentence(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message} ${hint}`
}
