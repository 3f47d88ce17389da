import type { Clock } from '../../platform.ts'
import { isLoopback } from '../cookies.ts'
import { HttpFailure } from '../failure.ts'

/** What a request to the provider may be: the library gives its body and headers like this. */
interface ProviderRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: RequestInit['body']
  readonly signal?: AbortSignal | undefined
}

/** A provider answers within this time, ms, with at most so many bytes. */
const LONGEST_ANSWER_MS = 10_000
const LARGEST_ANSWER = 1024 * 1024

/**
 * Requests to the provider, with limits of time and size, over https or to this machine. Redirections are not followed. Rejects
 * with `sign-in-unavailable` where the provider cannot be reached or fails.
 */
export function limitedFetch(fetch: typeof globalThis.fetch, clock: Clock) {
  return async (address: string, { method, headers, body, signal }: ProviderRequest): Promise<Response> => {
    const { protocol, hostname, host } = new URL(address)
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
      throw unavailable(`it names ${host} without https`)
    const over = clock.timeoutSignal(LONGEST_ANSWER_MS)
    try {
      const response = await fetch(address, {
        method,
        headers,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, over]) : over,
        ...(body !== undefined && { body }),
      })
      const bytes = await readLimited(response)
      if (response.status >= 500) throw unavailable(`${host} answered with ${response.status}`)
      return new Response(bytes.length === 0 ? null : bytes, { status: response.status, headers: response.headers })
    } catch (error) {
      if (error instanceof HttpFailure) throw error
      throw unavailable(over.aborted ? `${host} did not answer in time` : `${host} cannot be reached`, error)
    }
  }
}

async function readLimited({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.byteLength
    if (size > LARGEST_ANSWER) throw unavailable('its answer is too large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The provider is not there, or not as it should be. `why` completes the sentence and has no secret. */
export function unavailable(why: string, cause?: unknown): HttpFailure {
  const failure = new HttpFailure(
    'sign-in-unavailable',
    `The sign-in provider does not work: ${why}.`,
    {},
    { hint: 'Try again later. Tokens and browsers that are signed in go on working.' },
  )
  failure.cause = cause
  return failure
}
