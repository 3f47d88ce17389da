import type { ReadableWritablePair } from 'node:stream/web'
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import type { GatewayConnection } from '../capability.ts'
import { defined, sleep } from '../platform.ts'
import type { SessionEvent, Submitted, TurnView, WaitingApproval } from '../runtime.ts'
import type { TurnOutcome } from '../session.ts'
import { sendRequest, requestJson, apiPath } from './answer.ts'
import { fetchApprovals } from './approval/waiting.ts'
import type { Watch } from './approval/watch.ts'
import { CommandFailure } from './failure.ts'
import type { TurnDisplay } from './turn-display.ts'

interface TurnInput {
  readonly text: string
  readonly session?: string | undefined
  readonly model?: string | undefined
  /** The system prompt of this turn alone. */
  readonly system?: string | undefined
  readonly idempotencyKey?: string | undefined
  /** The session that a new one goes on from. */
  readonly after?: string | undefined
  /** Ids of files, in the order in which they stand above it. */
  readonly attachments?: readonly string[] | undefined
}

/** Which turn. */
export type TurnReference = Pick<Submitted, 'session' | 'turn'>

/** How the following of a turn ended: with the turn, or because it waits for a person who is not here. */
export type TurnEnd = TurnOutcome | { readonly type: 'waiting'; readonly approval: WaitingApproval }

interface FollowOptions {
  readonly display?: TurnDisplay | undefined
  readonly watch: Watch
  /** The last event that is known; from the beginning of the turn where absent. */
  readonly after?: string
  /** Ends the following; the turn goes on. */
  readonly signal?: AbortSignal | undefined
}

/** Hands a message in. When this resolves it is on disk. */
export async function submit(connection: GatewayConnection, input: TurnInput): Promise<Submitted> {
  return await requestJson<Submitted>(connection, '/api/messages', { method: 'POST', body: input })
}

/** Follows a turn to its end and shows it on the way. */
export async function follow(
  connection: GatewayConnection,
  { session, turn }: TurnReference,
  { display, watch, after, signal }: FollowOptions,
): Promise<TurnEnd> {
  const left = new AbortController()
  const leave = () => left.abort()
  let waiting: WaitingApproval | undefined
  signal?.addEventListener('abort', leave, { once: true })
  try {
    for await (const event of turnEvents(connection, session, turn, { after, signal: left.signal })) {
      const entry = event.type === 'entry' ? event.entry : undefined
      if (entry?.type === 'approval') watch.settled(entry.toolCallId, true)
      if (entry?.type === 'tool-end') watch.settled(entry.toolCallId, false)
      display?.show(event)
      if (entry?.type === 'turn-end') return entry.outcome
      if (entry?.type !== 'approval-request') continue
      const waits = await findWaiting(connection, entry.approval)
      if (waits === undefined) continue
      watch.asked(waits, () => {
        waiting ??= waits
        left.abort()
      })
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    watch.over()
    display?.finish()
  }
  if (waiting !== undefined) return { type: 'waiting', approval: waiting }
  if (signal?.aborted) throw new CommandFailure('left', 'the turn goes on without being shown.')
  throw new Error(`the events of turn ${turn} ended without its end`)
}

/** The log tells of questions that were answered long ago, too. */
async function findWaiting(connection: GatewayConnection, approval: string): Promise<WaitingApproval | undefined> {
  return (await fetchApprovals(connection)).find((waits) => waits.approval === approval)
}

/** Ends a turn; what was said is kept. */
export async function cancel(connection: GatewayConnection, turn: TurnReference): Promise<void> {
  await requestJson(connection, apiPath('/api/sessions/', turn.session, '/turns/', turn.turn, '/cancel'), {
    method: 'POST',
  })
}

export async function fetchTurn(connection: GatewayConnection, turn: TurnReference): Promise<TurnView> {
  return await requestJson<TurnView>(connection, apiPath('/api/sessions/', turn.session, '/turns/', turn.turn))
}

const TRIES = 5

/**
 * What happens in one turn, from its beginning to its `turn-end`. A stream that breaks off is taken up again behind the
 * last event that was seen, and ends early where `signal` is aborted.
 */
async function* turnEvents(
  connection: GatewayConnection,
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
    await sleep(100 * 2 ** failures, signal)
  }
  throw new CommandFailure('network', `the gateway went away while turn ${turn} was running.`, {
    hint: `The input is kept. When the gateway is up again, \`foreword sessions show ${session}\` shows the answer.`,
  })
}

async function* oneStream(
  connection: GatewayConnection,
  session: string,
  turn: string,
  last: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<SessionEvent> {
  const response = await sendRequest(connection, apiPath('/api/sessions/', session, '/events?turn=', turn), {
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

/** The events of a gateway are far smaller; what grows beyond this is not kept. Characters. */
const LARGEST_EVENT = 64 * 1024 * 1024

/** The events of a stream, each as soon as it is whole. Comments (`: still here`) are passed over. */
export function serverSentEvents(body: ReadableStream<Uint8Array>): AsyncIterable<EventSourceMessage> {
  return body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: LARGEST_EVENT }))
}
