import { defined } from '../platform.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { SessionEvent } from '../runtime.ts'
import { answer, pathTo } from './answer.ts'
import type { Connection } from '../capability.ts'
import { CommandFailure } from './failure.ts'
import { serverSentEvents } from './server-sent-events.ts'

const TRIES = 5

/**
 * What happens in one turn, from its beginning to its `turn-end`. A stream that breaks off is taken up again behind the
 * last event that was seen, and ends early where `signal` is aborted.
 */
export async function* turnEvents(
  connection: Connection,
  session: string,
  turn: string,
  { after, signal }: { readonly after?: string | undefined; readonly signal?: AbortSignal } = {},
): AsyncGenerator<SessionEvent> {
  let last = after
  for (let failures = 0; failures < TRIES; failures++) {
    try {
      for await (const event of oneStream(connection, session, turn, last, signal)) {
        failures = 0
        last = event.id
        yield event
        if (event.type === 'interrupted') throwInterruption(event, session)
        if (event.type === 'entry' && event.entry.type === 'turn-end') return
      }
    } catch (error) {
      // A gateway that is closing may come back.
      if (error instanceof CommandFailure && error.code !== 'closing') throw error
    }
    if (signal?.aborted) return
    await delay(100 * 2 ** failures)
  }
  throw new CommandFailure('network', `the gateway went away while turn ${turn} was running.`, {
    hint: `The input is kept. When the gateway is up again, \`foreword sessions show ${session}\` shows the answer.`,
  })
}

async function* oneStream(
  connection: Connection,
  session: string,
  turn: string,
  last: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<SessionEvent> {
  const response = await answer(connection, pathTo('/api/sessions/', session, '/events?turn=', turn), {
    headers: { accept: 'text/event-stream', ...defined({ 'last-event-id': last }) },
  })
  if (response.body === null) return
  const { body } = response
  const stoppable = signal === undefined ? body : body.pipeThrough<Uint8Array>(new TransformStream(), { signal })
  for await (const { data } of serverSentEvents(stoppable)) {
    const event: unknown = JSON.parse(data)
    if (isSessionEvent(event)) yield event
    else throwTold(event)
  }
}

/** Nobody can say when a turn whose log could not be written goes on. A gateway that is closing may come back. */
function throwInterruption({ code, message }: Extract<SessionEvent, { type: 'interrupted' }>, session: string): void {
  if (code === 'closing') return
  const hint = `The message is kept. Later, \`foreword sessions show ${session}\` shows the answer.`
  throw new CommandFailure(code, message, { hint })
}

/** A stream that ends in an error says so in its last event. A gateway that is closing may come back. */
function throwTold(event: unknown): void {
  const { code, message } = (event as { error?: { code?: string; message?: string } }).error ?? {}
  if (code !== undefined && code !== 'closing') throw new CommandFailure(code, message ?? code)
}

function isSessionEvent(value: unknown): value is SessionEvent {
  return typeof value === 'object' && value !== null && 'type' in value && 'id' in value
}
