import { type Transformer, TransformStream } from 'node:stream/web'

/**
 * A response whose stream breaks off when its caller loses access. `hold` is called with what breaks it off, and returns what
 * forgets it. A body that is no stream of events is sent as it is: it is about to end.
 */
export function heldResponse(response: Response, hold: (end: () => void) => () => void): Response {
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const lost = new AbortController()
  const release = hold(() => lost.abort())
  const passing: Transformer<Uint8Array, Uint8Array> = { flush: release, cancel: release }
  const body = response.body.pipeThrough(new TransformStream(passing), { signal: lost.signal })
  return new Response(body, response)
}
