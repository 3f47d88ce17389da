import type { ReadableWritablePair } from 'node:stream/web'
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'

/** The events of a gateway are far smaller; what grows beyond this is not kept. Characters. */
const LARGEST_EVENT = 64 * 1024 * 1024

/** The events of a stream, each as soon as it is whole. Comments (`: still here`) are passed over. */
export function serverSentEvents(body: ReadableStream<Uint8Array>): AsyncIterable<EventSourceMessage> {
  return body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: LARGEST_EVENT }))
}
