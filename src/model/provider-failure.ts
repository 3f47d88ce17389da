import { defined } from '../platform.ts'
import { ModelError, type ModelErrorCode, type ModelErrorFacts } from './model-error.ts'
import { recogniseOverflow } from './overflow.ts'
import { TimeoutExceeded } from './timeouts.ts'
import { redact } from './redact.ts'
import { UnexpectedAnswer, unexpectedIn } from './watched-response.ts'

/** Who was called, and what must never be repeated. */
export interface Callee {
  readonly provider: string
  readonly model: string
  readonly secrets: readonly string[]
  /** How to fix a missing model, such as `ollama pull x`. */
  readonly missing?: string
}

/**
 * Any failure of a provider as a `ModelError`. Reads the AI SDK's errors and in-stream error objects alike. The original is
 * not kept as `cause`: it holds the whole request and its headers. `now`: ms since 1970, for waits that end at a date.
 */
export function modelErrorOf(error: unknown, callee: Callee, now = Date.now()): ModelError {
  if (error instanceof ModelError) return error
  const unexpected = unexpectedIn(error)
  const answer = answerOf(unexpected ?? error)
  const overflow = answer.heard ? recogniseOverflow(answer.status, answer.text) : undefined
  const code = overflow ? 'context-overflow' : unexpected ? 'unexpected-answer' : codeOf(error, answer)
  const facts: ModelErrorFacts = {
    provider: callee.provider,
    model: callee.model,
    ...defined({ status: answer.status }),
    ...retryOf(code, answer, now),
    detail: redact(answer.message, callee.secrets),
    ...overflow,
  }
  return new ModelError(code, sentence(code, facts, callee, unexpected ?? error), facts)
}

/** What a provider answered, as far as it did. */
interface Answer {
  /** Whether the provider itself said something. */
  readonly heard: boolean
  readonly status?: number
  /** All that was said, for recognising. */
  readonly text: string
  /** The sentence in it, for people. */
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

function answerOf(error: unknown): Answer {
  const fields = record(error)
  const body = typeof fields['responseBody'] === 'string' ? fields['responseBody'] : jsonOf(fields['data'] ?? error)
  const own = error instanceof UnexpectedAnswer || typeof fields['message'] !== 'string' ? body : fields['message']
  const message = spoken(parsed(body)) ?? own
  const status = statusOf(fields)
  return {
    heard: status !== undefined || body !== '',
    ...defined({ status }),
    text: `${body}\n${message}`,
    message,
    headers: record(fields['responseHeaders']) as Record<string, string>,
  }
}

/** The status of the answer, or the one that an in-stream error of this type stands for. */
function statusOf(fields: Record<string, unknown>): number | undefined {
  const { statusCode } = fields
  // A good status with a failure means that the answer broke off behind it.
  if (typeof statusCode === 'number') return statusCode >= 400 ? statusCode : undefined
  const inner = record(fields['error'])
  for (const code of [fields['code'], inner['code'], fields['status']]) {
    if (typeof code === 'number' && code >= 400 && code < 600) return code
  }
  const type = inner['type'] ?? fields['type']
  return typeof type === 'string' ? IN_STREAM[type] : undefined
}

/** https://platform.claude.com/docs/en/api/errors */
const IN_STREAM: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  api_error: 500,
  rate_limit_error: 429,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  invalid_request_error: 400,
  server_error: 500,
}

function codeOf(error: unknown, answer: Answer): ModelErrorCode {
  if (error instanceof TimeoutExceeded) return 'timeout'
  const { status, text } = answer
  if (/insufficient_quota|credit balance is too low|exceeded your current quota|billing/i.test(text)) return 'quota'
  if (/content_filter|content_policy|content management policy/i.test(text)) return 'content-filter'
  if (status === undefined) return unansweredCode(error, answer)
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'quota'
  if (status === 404) return 'model-not-found'
  if (status === 408 || status === 504) return 'timeout'
  if (status === 429) return 'rate-limit'
  if (status >= 500) return 'server'
  if (/invalid_api_key|incorrect api key/i.test(text)) return 'auth'
  if (/model_not_found|model .{1,80} (?:not found|does not exist)/i.test(text)) return 'model-not-found'
  return 'bad-request'
}

/** The error of an answer that began and did not end. `detail`: what was noticed of it, if anything. */
export function brokenOff({ provider, model }: Callee, detail?: string): ModelError {
  const facts = { provider, model, ...(detail ? { detail } : {}) }
  return new ModelError('network', `the answer of ${provider}/${model} broke off before its end.`, facts)
}

/** No status: an error in the stream, an error of the AI SDK's own, or no answer at all. */
function unansweredCode(error: unknown, answer: Answer): ModelErrorCode {
  const chain = deepCode(error)
  if (/AI_(Unsupported|InvalidPrompt|InvalidArgument)/.test(chain)) return 'bad-request'
  if (answer.heard || /AI_(TypeValidation|JSONParse)/.test(chain)) return 'server'
  return /TIMEOUT|timed out/i.test(chain) ? 'timeout' : 'network'
}

/** How long the provider wants to be left alone: in seconds, until a date (RFC 9110, 10.2.3), or in its sentence. */
function retryOf(code: ModelErrorCode, answer: Answer, now: number): { retryAfterMs?: number } {
  if (code !== 'rate-limit' && code !== 'server' && code !== 'timeout') return {}
  const milliseconds = Number(answer.headers['retry-after-ms'])
  if (milliseconds > 0) return { retryAfterMs: milliseconds }
  const wish = answer.headers['retry-after'] ?? ''
  const seconds = Number(wish)
  if (seconds > 0) return { retryAfterMs: Math.ceil(seconds * 1000) }
  const until = Number.isNaN(seconds) ? Date.parse(wish) - now : NaN
  if (until > 0) return { retryAfterMs: until }
  const told = /try again in (?<amount>[\d.]+)\s*(?<unit>ms|s)\b/i.exec(answer.text)?.groups
  if (!told) return {}
  return { retryAfterMs: Math.ceil(Number(told['amount']) * (told['unit']?.toLowerCase() === 'ms' ? 1 : 1000)) }
}

function sentence(code: ModelErrorCode, facts: ModelErrorFacts, callee: Callee, error: unknown): string {
  const name = `${facts.provider}/${facts.model}`
  const said = facts.detail ? ` It said: ${facts.detail}` : ''
  switch (code) {
    case 'context-overflow':
      return `${name} refused the prompt as too large${sizes(facts)}. Set models."${name}".window to what it takes.${said}`
    case 'rate-limit':
      return `${name} is limiting requests; try again ${later(facts)}.${said}`
    case 'quota':
      return `${name} refused: the account has no credit left. Look at its billing page, or choose another model.${said}`
    case 'auth':
      return `${name} refused the key. Check the variable or file that providers.${facts.provider} names.${said}`
    case 'model-not-found':
      return `${facts.provider} has no model "${facts.model}" at this address. ${callee.missing ?? `See which it has with \`foreword models\`, and check providers.${facts.provider}.baseURL.`}${said}`
    case 'bad-request':
      return `${name} refused the request.${said}`
    case 'server':
      return `${name} failed on its own side; try again ${later(facts)}.${said}`
    case 'timeout':
      return error instanceof TimeoutExceeded
        ? `${name} sent nothing for ${error.milliseconds / 1000} s. Is it loading, or overloaded? providers.${facts.provider}.timeouts sets how long to wait.`
        : `${name} took too long.${said}`
    case 'unexpected-answer':
      return `${name} answered with ${whatCame(error)} where a stream was expected.${wordsIn(error, facts)} Check that providers.${facts.provider}.baseURL is the address of the API itself, and not of a web page, a login or a proxy.`
    case 'content-filter':
      return `${name} refused for its content rules.${said}`
    default:
      return unreachedSentence(name, facts, error)
  }
}

function whatCame(error: unknown): string {
  const { contentType, responseBody } = error as UnexpectedAnswer
  if (responseBody === '') return contentType === '' ? 'an empty body' : `an empty body (${contentType})`
  return contentType === '' ? 'something of no type' : contentType
}

function wordsIn(error: unknown, { detail }: ModelErrorFacts): string {
  return (error as UnexpectedAnswer).responseBody === '' ? '' : ` It said: "${detail}".`
}

/** No answer has begun: nobody was there, or somebody hung up. */
function unreachedSentence(name: string, { provider, detail }: ModelErrorFacts, error: unknown): string {
  const closed = /ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(deepCode(error))
  const what = closed ? 'closed the connection before it answered' : 'cannot be reached'
  const why = detail ? ` The error was: ${detail}` : ''
  return `${name} ${what}. Check that it runs and that providers.${provider}.baseURL is right.${why}`
}

/** When the provider wants to be asked again, as far as it told. */
function later({ retryAfterMs }: ModelErrorFacts): string {
  if (retryAfterMs === undefined) return 'later'
  const seconds = Math.ceil(retryAfterMs / 1000)
  return seconds < 120 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`
}

function sizes({ limit, sent }: ModelErrorFacts): string {
  if (limit === undefined) return ''
  return sent === undefined ? ` (it takes ${limit} tokens)` : ` (${sent} tokens, it takes ${limit})`
}

/** The codes along the chain of causes, such as `UND_ERR_HEADERS_TIMEOUT`. */
function deepCode(error: unknown): string {
  const codes: string[] = []
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const { code } = record(at)
    codes.push(at.name, ...(typeof code === 'string' ? [code] : []))
  }
  return codes.join(' ')
}

/** The sentence in a body, wherever the provider puts it. */
function spoken(body: unknown): string | undefined {
  if (typeof body === 'string' && body !== '') return body
  const { error, message, detail } = record(body)
  if (typeof error === 'string') return error
  const inner = record(error)['message'] ?? message ?? detail
  return typeof inner === 'string' && inner !== '' ? inner : undefined
}

function jsonOf(value: unknown): string {
  if (value instanceof Error || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
