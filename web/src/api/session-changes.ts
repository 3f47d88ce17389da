import { api, type ApiError } from './client.ts'
import type { ListedSession } from './resources.ts'
import { noteReach } from './reachable.ts'
import { begin } from './underway.ts'

/** `ready`: from here on nothing is missed, so now is the time to read, and to read again. Also where nothing can be followed. */
export type SessionChange =
  | { readonly type: 'ready' }
  | { readonly type: 'session'; readonly session: ListedSession }
  | { readonly type: 'deleted'; readonly id: string }

type Listener = (change: SessionChange) => void

const NAME = 'foreword-session-changes'
const RETRY_MS = 5_000

const listeners = new Set<Listener>()
let started = false
let isReady = false

/**
 * Calls the listener with what changes in the list of sessions. It begins with `ready`: at once, or where it is the first one,
 * once the gateway has answered. Returns a function that stops it.
 */
export function followSessionChanges(listener: Listener): () => void {
  listeners.add(listener)
  if (isReady) listener({ type: 'ready' })
  if (!started) {
    started = true
    start()
  }
  return () => void listeners.delete(listener)
}

/**
 * All tabs of a browser share one connection, since a browser has only six for one gateway: one tab holds it and tells the
 * others, and when it closes, another tab takes over.
 */
function start(): void {
  // Absent outside of secure contexts, such as a gateway in the local network.
  if (!('locks' in navigator)) return connect(tell)
  const channel = new BroadcastChannel(NAME)
  channel.addEventListener('message', ({ data }: MessageEvent<SessionChange>) => tell(data))
  const hold = (): Promise<never> =>
    new Promise(() => {
      connect((change) => {
        tell(change)
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
        channel.postMessage(change)
      })
    })
  const asked = begin()
  void navigator.locks.request(NAME, { ifAvailable: true }, (lock) => {
    const held = lock ? hold() : void navigator.locks.request(NAME, hold)
    if (!lock) tell({ type: 'ready' })
    asked()
    return held
  })
}

function tell(change: SessionChange): void {
  isReady = true
  for (const listener of listeners) listener(change)
}

function connect(send: Listener): void {
  const source = new EventSource('/api/session-changes')
  const connected = begin()
  source.addEventListener('ready', () => {
    noteReach(true)
    send({ type: 'ready' })
    connected()
  })
  source.addEventListener('session', ({ data }: MessageEvent<string>) =>
    send({ type: 'session', session: JSON.parse(data) as ListedSession }),
  )
  source.addEventListener('deleted', ({ data }: MessageEvent<string>) =>
    send({ type: 'deleted', ...(JSON.parse(data) as { readonly id: string }) }),
  )
  source.addEventListener('error', () => {
    connected()
    if (!isReady) tell({ type: 'ready' })
    // The browser tries again by itself, except after an answer that is no stream.
    if (source.readyState === EventSource.CLOSED) void unlessRefused(() => setTimeout(() => connect(send), RETRY_MS))
  })
}

/** An `EventSource` does not say why it has no stream: a browser that may not come in any more need not try again. */
async function unlessRefused(again: () => void): Promise<void> {
  try {
    await api('/api/token')
  } catch (error) {
    if ((error as ApiError).status === 401) return
  }
  again()
}
