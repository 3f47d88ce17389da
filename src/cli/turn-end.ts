import { type Io, note } from './io.ts'
import type { Source } from '../session.ts'
import type { Connection } from './connection.ts'
import { styled } from './style.ts'
import { type TurnEnd, type TurnPlace, turnView } from './turn.ts'

/** Exit code of a command whose turn waits for a person. */
export const WAITING = 3

/** Tells how a turn ended, unless it ended well, and answers the exit code. `place` is the command as it was written. */
export function turnExitCode(place: string, turn: TurnPlace, end: TurnEnd, io: Io): number {
  if (end.type === 'completed') return 0
  if (end.type === 'cancelled') return 130
  if (end.type === 'waiting') {
    note(io, `${styled(io, 'yellow', place, io.stderr)}: ${goesOnText(end)}`)
    return WAITING
  }
  note(io, `${styled(io, 'red', place, io.stderr)}: ${end.code}: ${end.message}`)
  note(io, `  The message is kept in session ${turn.session}.`)
  return 1
}

/** What to do about a turn that nobody here could decide about. */
export function goesOnText({ approval: { approval, request } }: Extract<TurnEnd, { type: 'waiting' }>): string {
  return `${request.tool} waits for your approval. The turn is kept; \`foreword approve ${approval}\` goes on.`
}

/** A turn for programs. */
export async function turnDocument(
  connection: Connection,
  turn: TurnPlace,
  end: TurnEnd,
  citations: readonly Source[] = [],
): Promise<object> {
  const { text, calls, totals } = await turnView(connection, turn)
  return {
    sessionId: turn.session,
    turnId: turn.turn,
    outcome: end.type,
    text,
    calls,
    usage: totals,
    ...(citations.length === 0 ? {} : { citations }),
    ...(end.type === 'failed' ? { error: { code: end.code, message: end.message } } : {}),
    ...(end.type === 'waiting' ? { approval: end.approval } : {}),
  }
}
