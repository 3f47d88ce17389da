import type { GatewayConnection, Io, SessionEvent } from '../../capability.ts'
import { CommandFailure, connectToHome, apiPath, isSessionEvent, sendRequest, serverSentEvents } from '../../cli.ts'
import type { Clock } from '../../platform.ts'

export interface GatewayLink extends Pick<GatewayConnection, 'fetch'> {
  open(): Promise<void>
  close(): Promise<void>
}

/**
 * Connects with the first request: to the gateway that runs, or to one in this process, which then holds the home.
 * Where a running gateway stops, the next request finds its successor, or opens the home here.
 */
export function gatewayLink(home: string, io: Io): GatewayLink {
  let current: Promise<GatewayConnection> | undefined
  let isClosed = false

  function connection(): Promise<GatewayConnection> {
    if (isClosed) return Promise.reject(new CommandFailure('closing', 'The editor has disconnected.'))
    if (current) return current
    const opening = connectToHome(home, io, 'serve').catch(throwBusy)
    current = opening
    opening.catch(() => forget(opening))
    return opening
  }

  function forget(opening: Promise<GatewayConnection>): void {
    if (current === opening) current = undefined
  }

  return {
    async open() {
      await connection()
    },
    async fetch(path, init) {
      const opening = connection()
      const gateway = await opening
      try {
        return await gateway.fetch(path, init)
      } catch (error) {
        if (init?.signal?.aborted || gateway.inProcess) throw error
        forget(opening)
        throw new CommandFailure('network', 'The gateway has stopped.', {
          hint: 'Try again: the next request finds its successor, or opens the home in this process.',
          cause: error,
        })
      }
    },
    async close() {
      isClosed = true
      const gateway = await current?.catch(() => undefined)
      await gateway?.close()
    },
  }
}

/** What holds a home without an address is most often another editor. */
function throwBusy(error: unknown): never {
  if (!(error instanceof CommandFailure) || error.code !== 'home-busy') throw error
  throw new CommandFailure('home-busy', error.message, {
    hint: 'If that is another editor, close it, start a gateway with `foreword start`, and both can use it. Or give this editor another home with FOREWORD_HOME.',
    cause: error,
  })
}

/**
 * The events of a session after `after`, until `signal` aborts. A broken stream goes on after its last event, on
 * whatever gateway the link reaches then. Throws where the session is gone, and where no gateway can be reached.
 */
export async function* followedEvents(
  clock: Clock,
  link: GatewayLink,
  session: string,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent> {
  let last = after
  let fault: unknown
  for (let failures = 0; failures < TRIES; failures += 1) {
    try {
      for await (const event of oneStream(link, session, last, signal)) {
        failures = 0
        last = event.id
        yield event
      }
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof CommandFailure) || !PASSING.has(error.code)) throw error
      fault = error
    }
    if (signal.aborted) return
    await clock.sleep(100 * 2 ** failures, signal)
  }
  throw fault ?? new CommandFailure('network', 'The events of the session ended.')
}

const TRIES = 5

/** Codes of a gateway that stops, and of one that has. */
const PASSING: ReadonlySet<string> = new Set(['closing', 'network'])

async function* oneStream(
  link: GatewayLink,
  session: string,
  last: string,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent> {
  const { body } = await sendRequest(link, apiPath('/api/sessions/', session, '/events'), {
    headers: { accept: 'text/event-stream', 'last-event-id': last },
    signal,
  })
  if (body === null) return
  const stoppable = body.pipeThrough<Uint8Array>(new TransformStream(), { signal })
  try {
    for await (const { data } of serverSentEvents(stoppable)) {
      const event: unknown = JSON.parse(data)
      if (!isSessionEvent(event)) throw reportedFault(event)
      yield event
    }
  } catch (error) {
    if (signal.aborted || error instanceof CommandFailure) throw error
    throw new CommandFailure('network', 'The connection to the gateway broke.', { cause: error })
  }
}

/** The last event of a stream that failed is its error. */
function reportedFault(event: unknown): CommandFailure {
  const { error = {} } = event as { readonly error?: { readonly code?: string; readonly message?: string } }
  const { code = 'internal', message = 'The events of the session ended.' } = error
  return new CommandFailure(code, message)
}
