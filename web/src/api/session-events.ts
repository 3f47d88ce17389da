import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { SessionEvent } from '../../../src/capability.ts'
import { ApiError, request } from './client.ts'
import { untilReachable } from './reachable.ts'

/** How long to wait before a connection is tried again, ms: the last one for every further try. */
const WAITS_MS = [250, 500, 1_000, 2_000, 5_000] as const

/**
 * A connection over which nothing has come for this long is dead, ms: the gateway sends a comment every 15 seconds. A proxy,
 * or a computer that slept, can lose a connection without saying so.
 */
const SILENCE_MS = 40_000

export interface EventReader {
  readonly signal: AbortSignal
  /** Id of the last event that the reader has; absent: from the beginning of the log. */
  readonly after?: string
  onEvent(event: SessionEvent): void
  /** `true` once events arrive, `false` while the connection is being made again. */
  onConnected(connected: boolean): void
}

/**
 * Follows a session until `signal` is aborted. A connection that ends, or over which nothing comes any more, is made again
 * from the last event on, so nothing is missed and nothing comes twice. Rejects where the gateway refuses: the session was
 * deleted, or the token has changed.
 */
export async function followSession(session: string, reader: EventReader): Promise<void> {
  const { signal } = reader
  let last = reader.after
  await untilDone(
    async (connected) => {
      const silence = silenceWatch(signal)
      try {
        const response = await request(`/api/sessions/${encodeURIComponent(session)}/events`, {
          signal: silence.signal,
          headers: { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) },
        })
        reader.onConnected(true)
        connected()
        const messages = response
          .body!.pipeThrough(silence.listening())
          .pipeThrough(new TextDecoderStream())
          .pipeThrough(new EventSourceParserStream())
        for await (const { data, event, id } of messages) {
          if (event === 'error') break
          reader.onEvent(JSON.parse(data) as SessionEvent)
          if (id !== undefined) last = id
        }
      } finally {
        silence.end()
      }
      return false
    },
    signal,
    () => reader.onConnected(false),
  )
}

/**
 * Runs `attempt` until it is done (`true`), again and again while the gateway cannot be reached, and ever more seldom until it
 * calls `connected`. Rejects where the gateway refuses. Resolves when `signal` is aborted, too.
 */
export async function untilDone(
  attempt: (connected: () => void) => Promise<boolean>,
  signal: AbortSignal,
  onFailure: () => void,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      if (await attempt(() => (failures = 0))) return
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) throw error
    }
    if (signal.aborted) return
    onFailure()
    await untilReachable(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)]!, signal)
    failures += 1
  }
}

interface SilenceWatch {
  /** Aborted with the given signal, and when nothing has come for too long. */
  readonly signal: AbortSignal
  listening(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>
  end(): void
}

function silenceWatch(outer: AbortSignal): SilenceWatch {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  outer.addEventListener('abort', abort)
  let timer = setTimeout(abort, SILENCE_MS)
  return {
    signal: controller.signal,
    listening: () =>
      new TransformStream({
        transform(bytes, stream) {
          clearTimeout(timer)
          timer = setTimeout(abort, SILENCE_MS)
          stream.enqueue(bytes)
        },
      }),
    end() {
      clearTimeout(timer)
      outer.removeEventListener('abort', abort)
      // An event that could not be read leaves the connection open.
      controller.abort()
    },
  }
}
