import { defined, fieldsOf, parseJson, redactSecrets } from '../platform.ts'
import { detectOverflow, providerSentence } from '../wire.ts'
import { TimeoutExceeded } from './call-limits.ts'
import { ModelError, type ModelErrorCode, type ModelErrorFacts } from './model-error.ts'
import { UnexpectedAnswer, findUnexpectedAnswer } from './wire-fetch.ts'

/** The called model, and secrets that errors must not contain. */
export interface Callee {
  readonly provider: string
  readonly model: string
  readonly secrets: readonly string[]
  /** How to fix a missing model, such as `ollama pull x`. */
  readonly missing?: string
}

/**
 * Converts any failure of a provider to a `ModelError`: errors of the AI SDK and error objects in a stream. The original is
 * not kept as `cause`, because it contains the request and its headers. `now`: ms since 1970, for `Retry-After` dates.
 */
export function toModelError(error: unknown, callee: Callee, now: number): ModelError {
  if (error instanceof ModelError) return error
  const unexpected = findUnexpectedAnswer(error)
  const answer = readAnswer(unexpected ?? error)
  const overflow = answer.answered ? detectOverflow(answer.status, answer.text) : undefined
  // Some servers answer with their error and status 200; its own code says as much as the status would.
  const isStranger = unexpected !== undefined && answer.status === undefined
  const code = overflow ? 'context-overflow' : isStranger ? 'unexpected-answer' : errorCode(error, answer)
  const facts: ModelErrorFacts = {
    provider: callee.provider,
    model: callee.model,
    ...defined({ status: answer.status }),
    ...retryDelay(code, answer, now),
    ...refusal(error),
    detail: redactSecrets(answer.message, callee.secrets),
    ...overflow,
  }
  return new ModelError(code, sentence(code, facts, callee, unexpected ?? error), facts)
}

/** The answer of a provider, if there is one. */
interface Answer {
  /** Whether the provider answered. */
  readonly answered: boolean
  readonly status?: number
  /** Body and message, for pattern matching. */
  readonly text: string
  /** The message for people. */
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}

function readAnswer(error: unknown): Answer {
  const fields = fieldsOf(error)
  const body = typeof fields['responseBody'] === 'string' ? fields['responseBody'] : toJson(fields['data'] ?? error)
  const own = error instanceof UnexpectedAnswer || typeof fields['message'] !== 'string' ? body : fields['message']
  const document = parseJson(body, body)
  const message = pageTitle(body) ?? providerSentence(document) ?? own
  const status = readStatus(error instanceof UnexpectedAnswer ? refusalFields(document) : fields)
  return {
    answered: status !== undefined || body !== '',
    ...defined({ status }),
    text: `${body}\n${message}`,
    message,
    headers: fieldsOf(fields['responseHeaders']) as Record<string, string>,
  }
}

/** Characters that are shown of a page. */
const PAGE_WORDS = 200

/** What a proxy or a login page says in HTML: its title, or the beginning of its text. `undefined`: the body is no page. */
function pageTitle(body: string): string | undefined {
  if (!/^\s*<(?:!doctype|html|head|body)\b/i.test(body)) return undefined
  const title = /<title[^<>]*>(?<words>[^<]*)/i.exec(body)?.groups?.['words']
  const words = (title?.trim() || body.replace(/<[^<>]*>/g, ' ')).replace(/\s+/g, ' ').trim()
  return words === '' ? undefined : words.slice(0, PAGE_WORDS)
}

/** Fields of a document with an error; any other has no status. */
function refusalFields(document: unknown): Record<string, unknown> {
  const fields = fieldsOf(document)
  return Object.keys(fieldsOf(fields['error'])).length > 0 ? fields : {}
}

/** The HTTP status, or the equivalent of an error in the stream. */
function readStatus(fields: Record<string, unknown>): number | undefined {
  const { statusCode } = fields
  // A failure with a successful status means that the answer broke off.
  if (typeof statusCode === 'number') return statusCode >= 400 ? statusCode : undefined
  const inner = fieldsOf(fields['error'])
  for (const code of [fields['code'], inner['code'], fields['status']]) {
    if (typeof code === 'number' && code >= 400 && code < 600) return code
  }
  const names = [inner['type'], inner['code'], fields['type']]
  return names.flatMap((name) => (typeof name === 'string' ? (IN_STREAM[name] ?? []) : []))[0]
}

/** https://platform.claude.com/docs/en/api/errors, and what servers with OpenAI's format write into a stream */
const IN_STREAM: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  api_error: 500,
  rate_limit_error: 429,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  invalid_request_error: 400,
  server_error: 500,
  timeout_error: 504,
  billing_error: 402,
  request_too_large: 413,
  rate_limit_exceeded: 429,
}

function errorCode(error: unknown, answer: Answer): ModelErrorCode {
  if (error instanceof TimeoutExceeded) return 'timeout'
  const { status, text } = answer
  // Google says the same of the requests of a minute, with the wait; OpenAI links to billing below such a limit.
  if (NO_CREDIT.test(text) && (status !== 429 || !WAIT.test(text))) return 'quota'
  if (/content_filter|content_policy|content management policy/i.test(text)) return 'content-filter'
  if (status === undefined) {
    // An error in the stream, an error of the AI SDK, or no answer at all.
    const chain = deepCode(error)
    if (/AI_(Unsupported|InvalidPrompt|InvalidArgument)/.test(chain)) return 'bad-request'
    if (answer.answered || /AI_(TypeValidation|JSONParse)/.test(chain)) return 'server'
    return /TIMEOUT|timed out/i.test(chain) ? 'timeout' : 'network'
  }
  const code = BY_STATUS[status]
  if (code !== undefined) return code
  if (status >= 500) return 'server'
  if (/invalid_api_key|incorrect api key/i.test(text)) return 'auth'
  if (/model_not_found|model .{1,80} (?:not found|does not exist)/i.test(text)) return 'model-not-found'
  return 'bad-request'
}

const NO_CREDIT =
  /insufficient_quota|credit balance is too low|exceeded your current quota|billing_(?:error|not_active|hard_limit_reached)|billing hard limit|check your (?:plan and )?billing/i

/** The wait that a sentence names. */
const WAIT = /(?:try again|retry) in (?<amount>[\d.]+)\s*(?<unit>ms|s)\b/i

const BY_STATUS: Readonly<Record<number, ModelErrorCode>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'model-not-found',
  408: 'timeout',
  429: 'rate-limit',
  504: 'timeout',
}

/** The error of an answer that began and did not end. `detail`: the underlying error, if known. */
export function brokenOff({ provider, model }: Callee, detail?: string): ModelError {
  const facts = { provider, model, ...defined({ detail: detail || undefined }) }
  return new ModelError('network', `The answer of ${provider}/${model} broke off before its end.`, facts)
}

/** The longest wait that a provider is believed, ms: a day. */
const LONGEST_WAIT_MS = 86_400_000

/** How long to wait: in seconds, until a date (RFC 9110, 10.2.3), or from the text of the message. */
function retryDelay(code: ModelErrorCode, answer: Answer, now: number): { retryAfterMs?: number } {
  if (!['rate-limit', 'server', 'timeout'].includes(code)) return {}
  const wish = answer.headers['retry-after'] ?? ''
  const said = WAIT.exec(answer.text)?.groups
  const waits = [
    Number(answer.headers['retry-after-ms']),
    Number(wish) * 1000,
    Date.parse(wish) - now,
    Number(said?.['amount']) * (said?.['unit']?.toLowerCase() === 'ms' ? 1 : 1000),
  ]
  // Some servers give the time in the place of the wait, in seconds or in ms.
  const found = waits
    .flatMap((wait) => [wait, wait - now, wait / 1000 - now])
    .find((wait) => wait > 0 && wait <= LONGEST_WAIT_MS)
  return found === undefined ? {} : { retryAfterMs: Math.ceil(found) }
}

function sentence(code: ModelErrorCode, facts: ModelErrorFacts, callee: Callee, error: unknown): string {
  const { provider, detail, limit, sent } = facts
  const name = `${provider}/${facts.model}`
  const answer = detail ? ` It said: ${detail}` : ''
  switch (code) {
    case 'context-overflow': {
      const sizes = sent === undefined ? `its limit is ${limit} tokens` : `${sent} tokens, the limit is ${limit}`
      return `${name} refused the prompt as too large${limit === undefined ? '' : ` (${sizes})`}. Set models."${name}".window to its limit.${answer}`
    }
    case 'rate-limit':
      return `${name} is limiting requests; try again ${later(facts)}.${answer}`
    case 'quota':
      return `${name} refused: the account has no credit left. Look at its billing page, or choose another model.${answer}`
    case 'auth':
      return `${name} refused the key. Check the variable or file that providers.${provider} names.${answer}`
    case 'model-not-found':
      return `${provider} has no model "${facts.model}" at this address. ${callee.missing ?? `List its models with \`foreword models\`, and check providers.${provider}.baseURL.`}${answer}`
    case 'bad-request':
      return `${name} refused the request.${answer}`
    case 'server':
      return `${name} has a server error; try again ${later(facts)}.${answer}`
    case 'timeout':
      return error instanceof TimeoutExceeded
        ? `${name} sent nothing for ${error.milliseconds / 1000} s. Is it loading, or overloaded? providers.${provider}.timeouts sets how long to wait.`
        : `${name} took too long.${answer}`
    case 'unexpected-answer': {
      const { contentType, responseBody } = error as UnexpectedAnswer
      const type = contentType === '' ? '' : ` (${contentType})`
      const body = responseBody === '' ? `an empty body${type}` : contentType || 'something of no type'
      const words = responseBody === '' ? '' : ` It said: "${detail}".`
      return `${name} answered with ${body} where a stream was expected.${words} Check that providers.${provider}.baseURL is the address of the API itself, and not of a web page, a login or a proxy.`
    }
    case 'content-filter':
      return `${name} refused the content.${answer}`
    default: {
      const closed = /ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(deepCode(error))
      const what = closed ? 'closed the connection before it answered' : 'cannot be reached'
      const why = detail ? ` The error was: ${detail}` : ''
      return `${name} ${what}. Check that it runs and that providers.${provider}.baseURL is right.${why}`
    }
  }
}

/** When to try again, if the provider reported it. */
function later({ retryAfterMs }: ModelErrorFacts): string {
  if (retryAfterMs === undefined) return 'later'
  const seconds = Math.ceil(retryAfterMs / 1000)
  return seconds < 120 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`
}

/** As a failed connection names it. */
const OWN_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/

/** `refused` where nothing listens at the address of this machine that was called. */
export function refusal(error: unknown): Pick<ModelErrorFacts, 'refused'> {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    // A name with several addresses fails with one error for each of them.
    const tries = at instanceof AggregateError ? at.errors : [at]
    const addresses = tries.map(fieldsOf).map(({ code, address }) => (code === 'ECONNREFUSED' ? address : undefined))
    if (addresses.every((address) => typeof address === 'string' && OWN_ADDRESS.test(address))) return { refused: true }
  }
  return {}
}

/** The codes in the chain of causes, such as `UND_ERR_HEADERS_TIMEOUT`. */
function deepCode(error: unknown): string {
  const codes: string[] = []
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const { code } = fieldsOf(at)
    codes.push(at.name, ...(typeof code === 'string' ? [code] : []))
  }
  return codes.join(' ')
}

function toJson(value: unknown): string {
  if (value instanceof Error || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
