import { errorMessage, largestEvent } from '../../platform.ts'

/** Limits of a fetch. `onBroken` receives the reason when a body is incomplete or grows too large, once for each body. */
interface FetchBounds {
  /** The largest answer, or event of a stream, bytes. */
  readonly largest: number
  readonly onBroken: (why: string) => void
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * `fetch` that reads responses up to a limit. An incomplete response to a POST ends the connection: the library would
 * wait forever.
 */
export function boundedFetch({ largest, onBroken }: FetchBounds): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const isAnswer = init?.method === 'POST'
    const body = boundedBody(response.body, isStream ? largestEvent() : totalSize(), largest, (why) => {
      if (isAnswer && !init?.signal?.aborted) onBroken(why)
    })
    return new Response(body, response)
  }
}

type Bytes = Uint8Array<ArrayBuffer>

/** Receives each chunk, and answers with the size so far, bytes. */
type Size = (chunk: Bytes) => number

function boundedBody(
  body: ReadableStream<Bytes>,
  size: Size,
  largest: number,
  onBroken: (why: string) => void,
): ReadableStream<Bytes> {
  const reader = body.getReader()
  return new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        if (size(value) > largest) {
          throw new Error(`it sent a message of more than ${largest.toLocaleString('en-US')} bytes`)
        }
        controller.enqueue(value)
      } catch (error) {
        onBroken(errorMessage(error))
        controller.error(error)
        await reader.cancel().catch(() => {})
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

function totalSize(): Size {
  let total = 0
  return (chunk) => (total += chunk.length)
}
