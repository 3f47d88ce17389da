import { type Clock, timeSlice } from '../platform.ts'
import type { ServerResponse } from 'node:http'
import { type Caller, RuntimeError, type Sink, type StreamDefinition } from '../capability.ts'
import { securityHeaders, empty } from './answer.ts'
import { HttpFailure } from './failure.ts'

export type Streams = ReturnType<typeof createStreams>

/** Gets what ends a stream whose caller lost access (an owner's answer is finished); returns what forgets the stream. */
type HoldStream = (end: (caller: Caller) => void) => () => void

/** The error for requests to a gateway that is stopping, and for the answers that it interrupts. */
export function closingError(): RuntimeError {
  return new RuntimeError('closing', 'The gateway is stopping. Try again when it runs again.')
}

/** How far a reader may fall behind, and for how long. */
export interface StreamLimits {
  /** With more than this unread, bytes, the stream waits for its reader. */
  readonly bufferBytes: number
  /** The most that may be unread over all streams, bytes. Above it, the reader that is furthest behind is disconnected. */
  readonly bufferBytesInAll: number
  /** A reader that has not caught up in this time, ms, is disconnected. */
  readonly stallMs: number
  /** Time between two comments, ms: without them a proxy would close a silent stream. */
  readonly heartbeatMs: number
}

export const defaultStreamLimits: StreamLimits = {
  bufferBytes: 1024 * 1024,
  bufferBytesInAll: 64 * 1024 * 1024,
  stallMs: 10_000,
  heartbeatMs: 15_000,
}

/** A reader that is no further behind than this keeps up, bytes. */
const A_LITTLE = 16 * 1024

const HEARTBEAT = ': still here\n\n'

const streamHeaders = {
  ...securityHeaders,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-store, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * Creates the streams of server-sent events of a server. Behind a listening server the bytes go straight to the socket;
 * elsewhere into a web stream. The backlog of a reader is at most `bufferBytes` and one event, that of all readers
 * `bufferBytesInAll`.
 */
export function createStreams(clock: Clock, limits: StreamLimits = defaultStreamLimits) {
  const open: OpenStreams = { streams: new Set(), bytes: 0 }
  return {
    open(
      request: Request,
      outgoing: ServerResponse | undefined,
      definition: StreamDefinition,
      hold?: HoldStream,
    ): Promise<Response> {
      const headers: Record<string, string> = { ...streamHeaders, ...definition.headers }
      if (request.method === 'HEAD') return Promise.resolve(new Response(null, { headers }))
      const wire = outgoing === undefined ? webOutput(limits.bufferBytes) : nodeOutput(outgoing)
      return runStream(wire, headers, definition, { clock, limits, open, hold })
    },
    /** Ends every open stream; readers reconnect. Answers end with an error, or continue where `answers` is `false`. */
    endAll({ answers = true }: { readonly answers?: boolean } = {}) {
      for (const { dismiss, failWith } of open.streams)
        if (failWith === undefined) dismiss()
        else if (answers) failWith(closingError())
    },
  }
}

interface OpenStreams {
  readonly streams: Set<OpenStream>
  /** Upper bound of the backlog of all streams, bytes: it is measured again when it passes the limit. */
  bytes: number
}

interface OpenStream {
  /** Ends the stream regularly: its reader reconnects. */
  readonly dismiss: () => void
  /** Ends an answer with an error. */
  readonly failWith: ((error: Error) => void) | undefined
  readonly disconnect: () => void
  readonly backlog: () => number
}

/** Adds to the backlog of all streams, and disconnects the reader that is furthest behind where it exceeds the limit. */
function growBacklog(open: OpenStreams, grown: number, mostBytes: number): void {
  open.bytes += grown
  if (open.bytes <= mostBytes) return
  let slowest: OpenStream | undefined
  open.bytes = 0
  for (const stream of open.streams) {
    open.bytes += stream.backlog()
    if (slowest === undefined || stream.backlog() > slowest.backlog()) slowest = stream
  }
  if (open.bytes > mostBytes) slowest?.disconnect()
}

interface StreamSurroundings {
  readonly clock: Clock
  readonly limits: StreamLimits
  readonly open: OpenStreams
  readonly hold: HoldStream | undefined
}

function runStream(
  wire: StreamOutput,
  headers: Record<string, string>,
  { run, lastWords, isAnswer }: StreamDefinition,
  { clock, limits, open, hold }: StreamSurroundings,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController()
    let hasHeaders = false
    let isOver = false
    let isWithinEvent = false

    const sendHeaders = (flush: boolean) => {
      if (hasHeaders) return
      hasHeaders = true
      resolve(wire.start(headers, flush))
    }
    const release = () => {
      isOver = true
      stopHeartbeat()
      open.streams.delete(stream)
      unhold?.()
    }
    const finish = () => {
      if (isOver) return
      sendHeaders(false)
      release()
      wire.end()
    }
    const dismiss = () => {
      if (isOver) return
      finish()
      controller.abort()
    }
    const disconnect = () => {
      if (isOver) return
      sendHeaders(false)
      release()
      wire.destroy()
      controller.abort()
    }
    const write = (text: string | Iterable<string>): Promise<void> | undefined => {
      if (isOver) return undefined
      if (typeof text !== 'string') return writeParts(text)
      sendHeaders(false)
      wire.write(text)
      const waits = wire.backlog()
      // A reader that keeps up adds nothing.
      if (waits > A_LITTLE) growBacklog(open, Buffer.byteLength(text), limits.bufferBytesInAll)
      return waits > limits.bufferBytes ? caughtUp() : undefined
    }
    const writeParts = async (parts: Iterable<string>): Promise<void> => {
      const work = timeSlice(clock)
      isWithinEvent = true
      for (const part of parts) {
        await write(part)
        if (work.isOver()) await work.rest()
      }
      isWithinEvent = false
    }
    const caughtUp = () =>
      new Promise<void>((done) => {
        const cancel = clock.timer(limits.stallMs, () => {
          disconnect()
          done()
        })
        const settle = () => {
          cancel()
          done()
        }
        wire.onDrain(settle)
        controller.signal.addEventListener('abort', settle, { once: true })
      })
    const sendHeartbeat = () => {
      // A comment would be a fault in any other format, and within an event.
      if (!isWithinEvent && wire.backlog() === 0 && headers['content-type']?.startsWith('text/event-stream'))
        void write(HEARTBEAT)
    }
    const stopHeartbeat = clock.every(limits.heartbeatMs, sendHeartbeat, { idle: true })
    const failWith = (error: Error) => {
      fail(error)
      controller.abort()
    }
    const stream: OpenStream = {
      dismiss,
      failWith: isAnswer ? failWith : undefined,
      disconnect,
      backlog: () => (isOver ? 0 : wire.backlog()),
    }
    open.streams.add(stream)
    const unhold = hold?.(({ name }) => {
      if (!isAnswer) dismiss()
      else if (name !== undefined)
        failWith(new HttpFailure('unauthorized', 'The token of this request was revoked, or has expired.'))
    })
    wire.onClose(disconnect)

    const sink: Sink = {
      signal: controller.signal,
      header: (name, value) => void (headers[name] = value),
      begin: () => sendHeaders(true),
      write,
    }
    const fail = (error: unknown) => {
      if (isOver) return
      if (hasHeaders) {
        void write(lastWords(error))
        return finish()
      }
      release()
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    void run(sink).then(finish, fail)
  })
}

interface StreamOutput {
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
function nodeOutput(outgoing: ServerResponse): StreamOutput {
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
function webOutput(bufferBytes: number): StreamOutput {
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
