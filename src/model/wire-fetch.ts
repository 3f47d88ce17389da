import { AsyncLocalStorage } from 'node:async_hooks'
import { hash } from 'node:crypto'

export type Fetch = typeof globalThis.fetch

/** What left for a provider: the digest and size of the very bytes, and where they went. */
export interface Wire {
  /** Lowercase hexadecimal. */
  readonly sha256: string
  readonly bytes: number
  /** Without its query, which may hold a key. */
  readonly url: string
}

/** Who wants to know of the request that leaves in this call. Parallel calls never see each other's wire. */
const listening = new AsyncLocalStorage<(wire: Wire) => void>()

/** Runs a call; `told` hears of each request with a body that leaves within it through a `wireFetch`. */
export function tellingOfWire<Result>(told: (wire: Wire) => void, run: () => Result): Result {
  return listening.run(told, run)
}

/**
 * A `fetch` that tells of each request with a body, just before it leaves. It sends the bytes that it has hashed, so what
 * is told and what leaves cannot differ.
 */
export function wireFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const body = bytesOf(init?.body)
    if (!body) return fetch(input, init)
    listening.getStore()?.({ sha256: hash('sha256', body), bytes: body.byteLength, url: withoutQuery(input) })
    return fetch(input, { ...init, body })
  }
}

const encoder = new TextEncoder()

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof body === 'string') return encoder.encode(body)
  return body instanceof Uint8Array ? new Uint8Array(body) : undefined
}

function withoutQuery(input: string | URL | Request): string {
  const url = new URL(input instanceof Request ? input.url : input)
  return `${url.origin}${url.pathname}`
}
