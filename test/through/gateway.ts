import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createForeword, type Foreword } from '../../src/foreword.ts'
import { type Clock, defined } from '../../src/platform.ts'
import type { CallRecord } from '../../src/session.ts'

/** A gateway that listens, over a home that the test leaves behind for nobody. */
export interface TestGateway extends Foreword {
  readonly url: string
  readonly home: string
  readonly warnings: string[]
  /** Ends it, and starts another one over the same home. */
  restart(changes?: Pick<GatewayOptions, 'clock'>): Promise<TestGateway>
}

export interface GatewayOptions {
  readonly home?: string
  readonly through?: object
  readonly providers?: object
  readonly configuration?: object
  readonly environment?: Readonly<Record<string, string>>
  readonly clock?: Clock
}

export async function startGateway(t: TestContext, options: GatewayOptions): Promise<TestGateway> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'foreword-through-'))
  if (options.home === undefined) t.after(() => rmSync(home, { recursive: true, force: true }))
  const warnings: string[] = []
  const foreword = await createForeword({
    home,
    configuration: { through: options.through ?? {}, providers: options.providers ?? {}, ...options.configuration },
    environment: { OLLAMA_HOST: '127.0.0.1:1', ...options.environment },
    warn: (text) => void warnings.push(text),
    ...defined({ clock: options.clock }),
  })
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await foreword.close()
  }
  t.after(close)
  const { url } = await foreword.listen({ port: 0 })
  return {
    ...foreword,
    close,
    url,
    home,
    warnings,
    async restart(changes = {}) {
      await close()
      return startGateway(t, { ...options, ...changes, home })
    },
  }
}

export interface RawAnswer {
  readonly status: number
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

/** Sends a request with headers exactly as they are given, and reads the whole answer. Rejects where it breaks off. */
export async function send(
  url: string,
  {
    headers = [],
    body,
    method = 'POST',
    ...options
  }: { headers?: readonly string[]; body?: string | Uint8Array; method?: string } & Pick<RequestOptions, 'signal'>,
): Promise<RawAnswer> {
  const incoming = await open(url, { headers, body, method, ...options })
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  if (!incoming.complete) throw new Error('the answer broke off')
  return { status: incoming.statusCode ?? 0, rawHeaders: incoming.rawHeaders, body: Buffer.concat(parts) }
}

/** The same, and gives the answer once it begins. */
export function open(
  url: string,
  {
    headers = [],
    body,
    method = 'POST',
    signal,
  }: {
    headers?: readonly string[] | undefined
    body?: string | Uint8Array | undefined
    method?: string | undefined
    signal?: AbortSignal | undefined
  },
): Promise<IncomingMessage> {
  const target = new URL(url)
  const hasLength = headers.some((name) => /^(?:content-length|transfer-encoding)$/i.test(name))
  const length = body === undefined || hasLength ? [] : ['Content-Length', String(Buffer.byteLength(body))]
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      host: target.hostname,
      port: target.port,
      path: url.slice(target.origin.length),
      method,
      headers: ['Host', target.host, ...headers, ...length],
      agent: false,
      ...(signal && { signal }),
    })
    sent.once('response', resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The calls of a gateway, once none is open and each is on record, oldest first. */
export async function recordedCalls({ runtime }: Pick<TestGateway, 'runtime'>): Promise<readonly CallRecord[]> {
  await runtime.idle()
  return (await runtime.store.findCalls({ limit: 1_000 })).toReversed()
}

/** A named token of the scope `talk`, as `foreword wrap` makes one for each run. */
export async function talkToken(
  gateway: Pick<TestGateway, 'server' | 'url' | 'token'>,
  name = 'editor',
): Promise<string> {
  const made = await gateway.server.fetch(
    new Request(`${gateway.url}/api/tokens`, {
      method: 'POST',
      headers: {
        host: new URL(gateway.url).host,
        authorization: `Bearer ${gateway.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name, scope: 'talk' }),
    }),
  )
  const { token } = (await made.json()) as { token: string }
  if (made.status !== 201) throw new Error('there is no token')
  return token
}
