import type { Submitted, TurnView } from '../runtime.ts'
import type { TurnOutcome } from '../session.ts'
import { ask, pathTo } from './answer.ts'
import type { Connection } from './connection.ts'
import { turnEvents } from './turn-events.ts'
import type { TurnDisplay } from './turn-display.ts'

export interface TurnInput {
  readonly text: string
  readonly session?: string | undefined
  readonly model?: string | undefined
  readonly idempotencyKey?: string | undefined
}

/** Hands a message in. When this resolves it is on disk. */
export async function submit(connection: Connection, input: TurnInput): Promise<Submitted> {
  return await ask<Submitted>(connection, '/api/messages', { method: 'POST', body: input })
}

/** Follows a turn to its end and shows it on the way. */
export async function follow(connection: Connection, turn: Submitted, display?: TurnDisplay): Promise<TurnOutcome> {
  try {
    for await (const event of turnEvents(connection, turn.session, turn.turn)) {
      display?.show(event)
      if (event.type === 'entry' && event.entry.type === 'turn-end') return event.entry.outcome
    }
  } finally {
    display?.finish()
  }
  throw new Error(`the events of turn ${turn.turn} ended without its end`)
}

/** Ends a turn; what was said is kept. */
export async function cancel(connection: Connection, turn: Submitted): Promise<void> {
  await ask(connection, pathTo('/api/sessions/', turn.session, '/turns/', turn.turn, '/cancel'), { method: 'POST' })
}

export async function turnView(connection: Connection, turn: Submitted): Promise<TurnView> {
  return await ask<TurnView>(connection, pathTo('/api/sessions/', turn.session, '/turns/', turn.turn))
}
