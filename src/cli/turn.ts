import type { Submitted, TurnView, WaitingApproval } from '../runtime.ts'
import type { TurnOutcome } from '../session.ts'
import { ask, pathTo } from './answer.ts'
import { waitingApprovals } from './approval/waiting.ts'
import type { Watch } from './approval/watch.ts'
import type { Connection } from '../capability.ts'
import { CommandFailure } from './failure.ts'
import { turnEvents } from './turn-events.ts'
import type { TurnDisplay } from './turn-display.ts'

export interface TurnInput {
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
export type TurnPlace = Pick<Submitted, 'session' | 'turn'>

/** How the following of a turn ended: with the turn, or because it waits for a person who is not here. */
export type TurnEnd = TurnOutcome | { readonly type: 'waiting'; readonly approval: WaitingApproval }

export interface FollowOptions {
  readonly display?: TurnDisplay | undefined
  readonly watch: Watch
  /** The last event that is known; from the beginning of the turn where absent. */
  readonly after?: string
  /** Ends the following; the turn goes on. */
  readonly signal?: AbortSignal | undefined
}

/** Hands a message in. When this resolves it is on disk. */
export async function submit(connection: Connection, input: TurnInput): Promise<Submitted> {
  return await ask<Submitted>(connection, '/api/messages', { method: 'POST', body: input })
}

/** Follows a turn to its end and shows it on the way. */
export async function follow(
  connection: Connection,
  { session, turn }: TurnPlace,
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
      const waits = await stillWaiting(connection, entry.approval)
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
async function stillWaiting(connection: Connection, approval: string): Promise<WaitingApproval | undefined> {
  return (await waitingApprovals(connection)).find((waits) => waits.approval === approval)
}

/** Ends a turn; what was said is kept. */
export async function cancel(connection: Connection, turn: TurnPlace): Promise<void> {
  await ask(connection, pathTo('/api/sessions/', turn.session, '/turns/', turn.turn, '/cancel'), { method: 'POST' })
}

export async function turnView(connection: Connection, turn: TurnPlace): Promise<TurnView> {
  return await ask<TurnView>(connection, pathTo('/api/sessions/', turn.session, '/turns/', turn.turn))
}
