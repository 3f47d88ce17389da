import { expectOk } from './http-failure.ts'
import type { Fetch } from './wire-fetch.ts'

/** A server that can be asked about its models. */
export interface Server {
  readonly baseURL: string
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch: Fetch
}

/** Asks a server and reads its JSON. Throws after `milliseconds`, on a bad status, and on anything that is not JSON. */
export async function ask(server: Server, path: string, milliseconds: number, body?: unknown): Promise<unknown> {
  const { baseURL, apiKey, headers, fetch } = server
  const response = await fetch(`${baseURL}${path}`, {
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(milliseconds),
  })
  return (await expectOk(response)).json()
}
