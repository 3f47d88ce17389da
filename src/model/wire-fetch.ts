import { createHash } from 'node:crypto'

export type Fetch = typeof globalThis.fetch

/** What left for a provider: the digest and size of the very bytes, and where they went. */
export interface Wire {
  /** Lowercase hexadecimal. */
  readonly sha256: string
  readonly bytes: number
  /** Without its query, which may hold a key. */
  readonly url: string
}

/**
 * A `fetch` that tells of each request with a body, just before it leaves. It sends the bytes that it has hashed, so what
 * is told and what leaves cannot differ. One per call: parallel calls never see each other's wire.
 */
export function wireFetch(fetch: Fetch, told: (wire: Wire) => void): Fetch {
  return async (input, init) => {
    const body = bytesOf(init?.body)
    if (!body) return fetch(input, init)
    const sha256 = createHash('sha256').update(body).digest('hex')
    told({ sha256, bytes: body.byteLength, url: withoutQuery(input) })
    return fetch(input, { ...init, body })
  }
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  return body instanceof Uint8Array ? new Uint8Array(body) : undefined
}

function withoutQuery(input: string | URL | Request): string {
  const url = new URL(input instanceof Request ? input.url : input)
  return `${url.origin}${url.pathname}`
}
