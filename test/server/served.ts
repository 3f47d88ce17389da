import type { Finding } from '../../src/capability.ts'
import { type Server, type ServerOptions } from '../../src/server.ts'
import { createTestServer as createServer } from '../home/test-server.ts'
import { type Runtime } from '../home/features.ts'

export const TOKEN = 'a-token-of-the-test-that-nobody-guesses'

export interface Served {
  readonly server: Server
  /** With the token, unless `headers` say otherwise. A body is sent as JSON. */
  request(path: string, options?: RequestOptions): Promise<Response>
  /** The same, and its JSON, in the shape that the test counts on. */
  json<Answer = Accepted>(path: string, options?: RequestOptions): Promise<Answer>
}

/** What is asked for most: a message that was accepted. */
export interface Accepted {
  readonly session: string
  readonly turn: string
}

export interface RequestOptions {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** A server in memory: requests in, responses out, no port. */
export function served(runtime: Runtime, options: Partial<ServerOptions> = {}): Served {
  const server = createServer(runtime, {
    token: TOKEN,
    bind: '127.0.0.1',
    version: '0.1.0',
    examine,
    examineSecurity: examine,
    ...options,
  })
  const request = (path: string, { method, body, headers, signal }: RequestOptions = {}) =>
    server.fetch(
      new Request(`http://127.0.0.1:4141${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${TOKEN}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      }),
    )
  const json = async <Answer>(path: string, given?: RequestOptions) =>
    (await (await request(path, given)).json()) as Answer
  return { server, request, json }
}

/** What a doctor would find. */
async function* examine(): AsyncGenerator<Finding> {
  yield { check: 'node', level: 'ok', message: 'Node 24' }
}

/** One event, of whichever door: the fields that tests look at. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly done: boolean
  readonly data: EventData
}

export interface EventData {
  readonly id?: string
  readonly type?: string
  readonly text?: string
  readonly model?: string
  readonly entry?: { readonly type: string; readonly outcome?: unknown }
  readonly choices?: readonly {
    readonly finish_reason: string | null
    readonly delta: {
      readonly role?: string
      readonly content?: string
      readonly reasoning_content?: string
      readonly tool_calls?: readonly { readonly index: number }[]
    }
  }[]
  readonly usage?: { readonly prompt_tokens: number; readonly total_tokens: number }
  readonly foreword?: { readonly calls: readonly string[] }
  readonly error?: { readonly message: string }
}

/** Every event of a finished stream. */
export async function eventsOf(response: Response): Promise<StreamEvent[]> {
  return parseEvents(await response.text())
}

export function parseEvents(text: string): StreamEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data:'))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      const data = field('data')!
      const done = data === '[DONE]'
      return { id: field('id'), event: field('event'), done, data: done ? {} : (JSON.parse(data) as EventData) }
    })
}
