import type { Api } from 'grammy'
import { answerText, defined, ForewordError } from '../../../platform.ts'

interface TelegramApiOptions {
  readonly token: string
  /** `https://api.telegram.org`, or the address of another Bot API server. */
  readonly apiRoot: string
}

/** grammY's client of the Bot API over Node's own `fetch`. Loads grammY. */
export async function telegramApi({ token, apiRoot }: TelegramApiOptions): Promise<Api> {
  const { Api: GrammyApi } = await import('grammy')
  return new GrammyApi(token, { apiRoot: withoutSlash(apiRoot), timeoutSeconds: 60, fetch: fetchForGrammy })
}

export function withoutSlash(apiRoot: string): string {
  return apiRoot.replace(/\/+$/, '')
}

/**
 * grammY's own `fetch` puts the address, with the token, into errors. Node's needs its own signal and ignores agents.
 */
async function fetchForGrammy(address: string | URL, request: GrammyRequest): Promise<Response> {
  const { method, headers, body, signal } = request
  const ending = new AbortController()
  const end = () => ending.abort()
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end)
  try {
    const response = await fetch(address, {
      ...defined({ method }),
      ...(headers ? { headers } : {}),
      ...(body === undefined ? {} : { body, duplex: 'half' }),
      signal: ending.signal,
    })
    // The signal covers the whole answer, so the body is read here.
    return new Response(await answerText(response, LARGEST_ANSWER), {
      status: response.status,
      headers: response.headers,
    })
  } finally {
    signal?.removeEventListener('abort', end)
  }
}

/** Of one call of the Bot API, bytes. */
const LARGEST_ANSWER = 16 * 1024 * 1024

interface GrammyRequest {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: NonNullable<RequestInit['body']>
  readonly signal?: Pick<AbortSignal, 'aborted' | 'addEventListener' | 'removeEventListener'>
}

/** What a failed call of the Bot API means. */
export type TelegramFault =
  /** Too many calls: retry after that time. */
  | { readonly type: 'limited'; readonly retryAfterMs: number }
  /** The network or Telegram's servers fail, and a retry may succeed. The call may have been carried out or not. */
  | { readonly type: 'unreachable'; readonly text: string }
  | { readonly type: 'refused'; readonly refusal: TelegramRefusal }

/** The wait where Telegram does not name one, ms. */
const DEFAULT_RETRY_MS = 5_000

/** Classifies an error that grammY threw. The result never contains the token. grammY's errors may, so they are not passed on. */
export function readFault(method: string, error: unknown, token: string): TelegramFault {
  if (!isAnswer(error)) return { type: 'unreachable', text: withoutToken(innermostReason(error), token) }
  const { error_code: status, parameters } = error
  const description = withoutToken(error.description, token)
  if (status === 429) {
    const seconds = parameters?.retry_after
    return { type: 'limited', retryAfterMs: seconds === undefined ? DEFAULT_RETRY_MS : seconds * 1000 }
  }
  if (status >= 500) return { type: 'unreachable', text: `${status} ${description}` }
  const migratedTo = parameters?.migrate_to_chat_id
  return { type: 'refused', refusal: new TelegramRefusal(method, { status, description, migratedTo }) }
}

interface TelegramAnswer {
  readonly error_code: number
  readonly description: string
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number }
}

function isAnswer(error: unknown): error is TelegramAnswer {
  return (
    typeof error === 'object' &&
    error !== null &&
    'error_code' in error &&
    typeof error.error_code === 'number' &&
    'description' in error &&
    typeof error.description === 'string'
  )
}

/** The innermost reason. grammY's wrappers only report that a request failed. */
function innermostReason(error: unknown): string {
  let inner = error
  for (let depth = 0; depth < 5 && typeof inner === 'object' && inner !== null; depth++) {
    const next: unknown = 'error' in inner ? inner.error : 'cause' in inner ? inner.cause : undefined
    if (next === undefined || next === null) break
    inner = next
  }
  if (inner instanceof SyntaxError) return 'its answer is not JSON'
  return inner instanceof Error ? inner.message || inner.name : String(inner)
}

/** Telegram understood a call and refused it. A retry would be refused again. Never contains the token. */
export class TelegramRefusal extends ForewordError {
  override readonly name = 'TelegramRefusal'
  readonly method: string
  /** HTTP status: 400 for a wrong or unknown value, 401 for a wrong token, 403 where the bot was blocked or removed. */
  readonly status: number
  /** Telegram's sentence, such as `Bad Request: chat not found`. */
  readonly description: string
  /** The id of the supergroup that the chat became. */
  readonly migratedTo: number | undefined

  constructor(method: string, refused: { status: number; description: string; migratedTo?: number | undefined }) {
    const { status, description } = refused
    super('bad-request', `Telegram refused ${method}: ${status} ${description}`, { method, status })
    this.method = method
    this.status = status
    this.description = description
    this.migratedTo = refused.migratedTo
  }
}

/** Any text that looks like the token of a bot. */
const ANY_TOKEN = /\d{5,}:[\w-]{20,}/g

/** A text for an error or a log: one line without the token. */
export function withoutToken(text: string, token: string): string {
  const clean = token === '' ? text : text.replaceAll(token, '[token]').replaceAll(encodeURIComponent(token), '[token]')
  return clean.replace(ANY_TOKEN, '[token]').replace(/\s+/g, ' ').trim()
}
