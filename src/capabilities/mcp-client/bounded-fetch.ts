import { errorMessage, eventSize } from '../../platform.ts'

/** How a fetch goes on where a body breaks off or grows too large: `onBroken` hears why, once for each body. */
interface FetchBounds {
  /** The most of one answer, or of one event of a stream, bytes. */
  readonly largest: number
  readonly onBroken: (why: string) => void
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * `fetch` whose answers are read no further than their bound. An answer to a POST that breaks off in the middle ends the
 * connection: the library would wait on for what cannot come any more.
 */
export function boundedFetch({ largest, onBroken }: FetchBounds): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const isAnswer = init?.method === 'POST'
    const body = boundedBody(response.body, isStream ? eventSize() : totalSize(), largest, (why) => {
      if (isAnswer && !init?.signal?.aborted) onBroken(why)
    })
    return new Response(body, response)
  }
}

type Bytes = Uint8Array<ArrayBuffer>

/** Told each chunk, says how large what is being read has grown. */
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
