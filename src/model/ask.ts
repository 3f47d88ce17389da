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

/** An answer with a status that means failure, with what it said. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly statusCode: number
  readonly responseBody: string
  readonly responseHeaders: Readonly<Record<string, string>>

  constructor(statusCode: number, responseBody: string, responseHeaders: Readonly<Record<string, string>>) {
    super(`HTTP ${statusCode}`)
    this.statusCode = statusCode
    this.responseBody = responseBody
    this.responseHeaders = responseHeaders
  }
}

/** Throws `HttpFailure` unless the answer is a good one. */
export async function expectOk(response: Response): Promise<Response> {
  if (response.ok) return response
  const body = await response.text().catch(() => '')
  throw new HttpFailure(response.status, body, Object.fromEntries(response.headers))
}
