import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { SessionEvent } from '../../../src/capability.ts'
import { ApiError, request } from './client.ts'

/** How long to wait before a connection is tried again, ms: the last one for every further try. */
const WAITS_MS = [250, 500, 1_000, 2_000, 5_000] as const

export interface EventReader {
  readonly signal: AbortSignal
  /** Id of the last event that the reader has; absent: from the beginning of the log. */
  readonly after?: string
  onEvent(event: SessionEvent): void
  /** `true` once events arrive, `false` while the connection is being made again. */
  onConnected(connected: boolean): void
}

/**
 * Follows a session until `signal` is aborted. A connection that ends is made again from the last event on, so nothing is
 * missed and nothing comes twice. Rejects where the gateway refuses: the session was deleted, or the token has changed.
 */
export async function followSession(session: string, reader: EventReader): Promise<void> {
  let last = reader.after
  let failures = 0
  while (!reader.signal.aborted) {
    try {
      const path = `/api/sessions/${encodeURIComponent(session)}/events`
      const response = await request(path, {
        signal: reader.signal,
        headers: { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) },
      })
      reader.onConnected(true)
      failures = 0
      const messages = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
      for await (const { data, event, id } of messages) {
        if (event === 'error') break
        reader.onEvent(JSON.parse(data) as SessionEvent)
        if (id !== undefined) last = id
      }
    } catch (error) {
      if (reader.signal.aborted) return
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) throw error
    }
    if (reader.signal.aborted) return
    reader.onConnected(false)
    await sleep(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)]!, reader.signal)
    failures += 1
  }
}

/** Resolves after `ms`, when the network returns, or when `signal` is aborted. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      globalThis.removeEventListener('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    globalThis.addEventListener('online', done)
    signal.addEventListener('abort', done)
  })
}
