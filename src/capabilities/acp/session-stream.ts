import type { SessionEvent } from '../../capability.ts'
import { apiPath, CommandFailure, sendRequest, serverSentEvents } from '../../cli.ts'
import type { Clock } from '../../platform.ts'
import type { GatewayLink } from './gateway-link.ts'

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

function isSessionEvent(value: unknown): value is SessionEvent {
  return typeof value === 'object' && value !== null && 'type' in value && 'id' in value
}

/** The last event of a stream that failed is its error. */
function reportedFault(event: unknown): CommandFailure {
  const { error = {} } = event as { readonly error?: { readonly code?: string; readonly message?: string } }
  const { code = 'internal', message = 'The events of the session ended.' } = error
  return new CommandFailure(code, message)
}
