import { AsyncLocalStorage } from 'node:async_hooks'
import { hash } from 'node:crypto'
import type { WireBody } from './model.ts'
import { type StreamForm, watchedResponse } from './watched-response.ts'

export type Fetch = typeof globalThis.fetch

/** Who wants to know what happens on the wire of one call. */
export interface WireListener {
  /** A request with this body is about to leave. What it throws keeps the request back. */
  readonly left: (wire: WireBody, body: Uint8Array) => void
  /** The answer holds one event that is too large: its body fails there. */
  readonly onTooLarge: () => void
}

/** Parallel calls never see each other's wire. */
const listening = new AsyncLocalStorage<WireListener>()

/** Runs a call; the listener hears of what goes through a `wireFetch` within it. */
export function listeningToWire<Result>(listener: WireListener, run: () => Result): Result {
  return listening.run(listener, run)
}

/**
 * A `fetch` that tells of each request with a body, just before it leaves, and watches what comes back. It sends the bytes
 * that it has hashed, so what is told and what leaves cannot differ. Rejects with `UnexpectedAnswer` where a good status
 * brings no stream of this form.
 */
export function wireFetch(fetch: Fetch, form?: StreamForm): Fetch {
  return async (input, init) => {
    const body = bytesOf(init?.body)
    if (!body) return fetch(input, init)
    const listener = listening.getStore()
    listener?.left({ sha256: hash('sha256', body), bytes: body.byteLength, url: withoutQuery(input) }, body)
    const response = await fetch(input, { ...init, body })
    return watchedResponse(response, { form, onTooLarge: () => listener?.onTooLarge() })
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
