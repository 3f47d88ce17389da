import { defined } from '../../../platform.ts'
import type { Api } from 'grammy'

export interface TelegramApiOptions {
  readonly token: string
  /** `https://api.telegram.org`, or a Bot API server of one's own. */
  readonly apiRoot: string
  /** How long a call may take, s; longer than a long poll. 60 unless given. */
  readonly timeoutSeconds?: number
}

/** grammY's door to the Bot API over Node's own fetch. It loads grammY, which is why it has to be waited for. */
export async function telegramApi({ token, apiRoot, timeoutSeconds = 60 }: TelegramApiOptions): Promise<Api> {
  const { Api: GrammyApi } = await import('grammy')
  return new GrammyApi(token, { apiRoot: withoutSlash(apiRoot), timeoutSeconds, fetch: fetchForGrammy })
}

export function withoutSlash(apiRoot: string): string {
  return apiRoot.replace(/\/+$/, '')
}

/**
 * The fetch that grammY brings puts the address, which holds the token, into its errors. Node's own does not, but wants its
 * own kind of signal, and knows nothing of the agents of the other one.
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
    // The signal belongs to the whole answer, and all of that is read at once.
    const bytes = await response.arrayBuffer()
    return new Response(bytes, { status: response.status, headers: response.headers })
  } finally {
    signal?.removeEventListener('abort', end)
  }
}

interface GrammyRequest {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: NonNullable<RequestInit['body']>
  readonly signal?: Pick<AbortSignal, 'aborted' | 'addEventListener' | 'removeEventListener'>
}
