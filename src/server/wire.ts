import { type ServerResponse } from 'node:http'
import { empty } from './answer.ts'

export interface StreamOutput {
  /** The response for the HTTP layer. `flush`: send the headers at once, not with the first text. */
  start(headers: Readonly<Record<string, string>>, flush: boolean): Response
  write(text: string): void
  /** Bytes that were written and not yet sent. */
  backlog(): number
  /** Calls the listener once, when the backlog has been sent. */
  onDrain(listener: () => void): void
  /** Calls the listener when the reader has disconnected or the stream has ended. */
  onClose(listener: () => void): void
  end(): void
  destroy(): void
}

/** Writes to the socket of a Node server. Several writes of one tick are sent together. */
export function nodeOutput(outgoing: ServerResponse): StreamOutput {
  return {
    start(headers, flush) {
      if (outgoing.destroyed) return alreadySent()
      outgoing.writeHead(200, headers)
      if (flush) outgoing.flushHeaders()
      return alreadySent()
    },
    write: (text) => void outgoing.write(text),
    backlog: () => outgoing.writableLength,
    onDrain: (listener) => void outgoing.once('drain', listener),
    onClose: (listener) => void outgoing.once('close', listener),
    end: () => void outgoing.end(),
    destroy: () => void outgoing.destroy(),
  }
}

/** Writes to a web stream, for servers and tests without a socket. */
export function webOutput(bufferBytes: number): StreamOutput {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array>
  let drained: (() => void) | undefined
  let closed: (() => void) | undefined
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (given) => void (controller = given),
      pull() {
        drained?.()
        drained = undefined
      },
      cancel: () => closed?.(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: bufferBytes }),
  )
  return {
    start: (headers) => new Response(stream, { headers }),
    write: (text) => controller.enqueue(encoder.encode(text)),
    backlog: () => bufferBytes - (controller.desiredSize ?? 0),
    onDrain: (listener) => void (drained = listener),
    onClose: (listener) => void (closed = listener),
    end: () => controller.close(),
    destroy: () => controller.error(new Error('The reader fell too far behind.')),
  }
}

/** Signals to the Node adapter that the answer is already being sent. */
function alreadySent(): Response {
  const response = empty(200, { 'x-hono-already-sent': 'true' })
  // The adapter sends what it has cached of a response; once the body has been read, there is no such cache.
  void response.body
  return response
}
