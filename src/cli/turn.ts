import type { ReadableWritablePair } from 'node:stream/web'
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import type { GatewayConnection } from '../capability.ts'
import { defined, systemClock } from '../platform.ts'
import type { SessionEvent, SubmittedTurn, TurnView, WaitingApproval } from '../runtime.ts'
import type { TurnOutcome } from '../session.ts'
import { sendRequest, requestJson, apiPath, UNREACHABLE } from './answer.ts'
import { fetchApprovals } from './approval/waiting.ts'
import type { Watch } from './approval/watch.ts'
import { CommandFailure } from './failure.ts'
import type { TurnDisplay } from './turn-display.ts'

interface TurnInput {
  readonly text: string
  readonly from?: string | null | undefined
  readonly session?: string | undefined
  readonly model?: string | undefined
  readonly system?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly after?: string | undefined
  /** Ids of files, in their order above the text. */
  readonly attachments?: readonly string[] | undefined
  readonly whenRefused?: 'fail' | undefined
}

export type TurnReference = Pick<SubmittedTurn, 'session' | 'turn'>

/** How following a turn ended: with the turn, or because it waits for an approval that nobody here can give. */
export type TurnEnd = TurnOutcome | { readonly type: 'waiting'; readonly approval: WaitingApproval }

interface FollowOptions {
  readonly display?: TurnDisplay | undefined
  readonly watch: Watch
  /** The id of the last known event; absent to follow from the beginning of the turn. */
  readonly after?: string
  /** Stops following; the turn continues. */
  readonly signal?: AbortSignal | undefined
}

/** Submits a message. It is on disk when this resolves. */
export async function submit(connection: GatewayConnection, input: TurnInput): Promise<SubmittedTurn> {
  return await requestJson<SubmittedTurn>(connection, '/api/messages', { method: 'POST', body: input })
}

/** Follows a turn to its end and shows its events. Throws where `signal` aborts or the gateway is gone. */
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
      const waits = (await fetchApprovals(connection)).find(({ approval }) => approval === entry.approval)
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
  if (signal?.aborted) throw new CommandFailure('left', 'The turn continues in the background.')
  throw new Error(`the events of turn ${turn} ended without its end`)
}

/** Cancels a turn. Its text so far is kept. */
export async function cancel(connection: GatewayConnection, turn: TurnReference): Promise<void> {
  await requestJson(connection, apiPath('/api/sessions/', turn.session, '/turns/', turn.turn, '/cancel'), {
    method: 'POST',
  })
}

export async function fetchTurn(connection: GatewayConnection, turn: TurnReference): Promise<TurnView> {
  return await requestJson<TurnView>(connection, apiPath('/api/sessions/', turn.session, '/turns/', turn.turn))
}

const TRIES = 5

/** The events of one turn up to its `turn-end`, or to the abort of `signal`. An interrupted stream resumes. */
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
      if (error instanceof CommandFailure && error.code !== 'closing' && error.code !== UNREACHABLE) throw error
    }
    if (signal?.aborted) return
    await systemClock.sleep(100 * 2 ** failures, signal)
  }
  throw new CommandFailure('network', 'The gateway stopped before the answer ended.', {
    hint: `Your message is kept. Start the gateway again with \`foreword start\`: the turn goes on, and its answer is shown by \`foreword sessions show ${session}\`.`,
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
    else throwReported(event)
  }
}

/** A turn whose log could not be written has no known end. A gateway that is closing may come back. */
function throwInterruption({ code, message }: Extract<SessionEvent, { type: 'interrupted' }>, session: string): void {
  if (code === 'closing') return
  const hint = `Your message is kept. Show the answer later with \`foreword sessions show ${session}\`.`
  throw new CommandFailure(code, message, { hint })
}

/** The last event of a failed stream is its error. A gateway that is closing may come back. */
function throwReported(event: unknown): void {
  const { code, message } = (event as { error?: { code?: string; message?: string } }).error ?? {}
  if (code !== undefined && code !== 'closing') throw new CommandFailure(code, message ?? code)
}

/** Whether what a stream of a turn sends is an event, and not the error at its end. */
export function isSessionEvent(value: unknown): value is SessionEvent {
  return typeof value === 'object' && value !== null && 'type' in value && 'id' in value
}

/** The most characters of one event. Events of a gateway are far smaller. */
const LARGEST_EVENT = 64 * 1024 * 1024

/** The events of a stream, each as soon as it is complete. Comments (`: still here`) are skipped. */
export function serverSentEvents(body: ReadableStream<Uint8Array>): AsyncIterable<EventSourceMessage> {
  return body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: LARGEST_EVENT }))
}
