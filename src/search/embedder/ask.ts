import { setTimeout as wait } from 'node:timers/promises'
import { SearchError } from '../search-error.ts'
import { withoutSecrets } from './without-secrets.ts'

export interface Question {
  /** What is asked, for errors: the name of the embedder. */
  readonly embedder: string
  readonly url: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal | undefined
}

/**
 * Puts a question to a service and answers what its JSON says. A service that is busy or stumbles is asked once more,
 * after as long as it says itself.
 *
 * @throws SearchError `embedding`
 */
export async function ask(question: Question): Promise<unknown> {
  const first = await send(question)
  if (!isPassing(first.status)) return jsonOf(question, first)
  await first.body?.cancel()
  await pauseBefore(first, question.signal)
  return jsonOf(question, await send(question))
}

async function send({ embedder, url, body, headers, secrets, fetch, signal }: Question): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      // Headers with secrets are for this address and no other.
      redirect: 'manual',
      ...(signal && { signal }),
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw new SearchError(
      'embedding',
      `${embedder} cannot be reached (${withoutSecrets(reasonOf(error), secrets)}): check its baseURL, and that it runs`,
    )
  }
}

async function jsonOf({ embedder, secrets, signal }: Question, response: Response): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    signal?.throwIfAborted()
    throw new SearchError('embedding', `${embedder} broke off its answer (${withoutSecrets(reasonOf(error), secrets)})`)
  })
  if (!response.ok) throw refusal(embedder, response.status, withoutSecrets(saidIn(text), secrets))
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new SearchError('embedding', `${embedder} answered what is no JSON: check its baseURL`)
  }
}

function refusal(embedder: string, status: number, said: string): SearchError {
  const advice = ADVICE[status] ?? (status >= 300 && status < 400 ? 'it has moved: name its new baseURL' : undefined)
  const message = `${embedder} answered HTTP ${status}${said ? `, ${said}` : ''}${advice ? `: ${advice}` : ''}`
  return new SearchError('embedding', message, { status })
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'check its API key',
  403: 'check what its API key may do',
  404: 'check its baseURL and the name of the model',
  429: 'try later',
}

/** Both wires say it as `error`, one as words and one as an object with `message`. */
function saidIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown }
    if (typeof error === 'string') return error
    const message = (error as { readonly message?: unknown } | undefined)?.message
    return typeof message === 'string' ? message : ''
  } catch {
    return ''
  }
}

/** What may be otherwise the next time. */
export function isPassing(status: number | undefined): boolean {
  return status !== undefined && (status === 429 || status >= 500)
}

export const PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

async function pauseBefore(response: Response, signal: AbortSignal | undefined): Promise<void> {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const asked = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : PAUSE_MS
  await wait(Math.min(asked, LONGEST_PAUSE_MS), undefined, signal && { signal })
}

/** `fetch failed` says nothing: its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
