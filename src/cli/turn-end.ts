import { isAnswered, outcomeNotice } from '../runtime.ts'
import type { Source, TurnOutcome } from '../session.ts'
import type { Connection, Io } from '../capability.ts'
import { note } from './io.ts'
import { styled } from './style.ts'
import { type TurnEnd, type TurnPlace, turnView } from './turn.ts'

/** Exit code of a command whose turn waits for a person. */
export const WAITING = 3

/**
 * Tells how a turn ended, unless it ended well, and answers the exit code: 0 only where there is an answer. `place` is the
 * command as it was written.
 */
export function turnExitCode(place: string, turn: TurnPlace, end: TurnEnd, io: Io): number {
  if (end.type === 'completed') return 0
  if (end.type === 'cancelled') return 130
  if (end.type === 'waiting') {
    note(io, `${styled(io, 'yellow', place, io.stderr)}: ${goesOnText(end)}`)
    note(io, `  Continue the session with \`foreword chat --session ${turn.session}\`.`)
    return WAITING
  }
  const answered = isAnswered(end)
  note(io, `${styled(io, answered ? 'yellow' : 'red', place, io.stderr)}: ${endText(end)}`)
  if (!answered) note(io, `  The message is kept in session ${turn.session}.`)
  return answered ? 0 : 1
}

/** How a turn ended that did not end well: a code for programs, and a sentence. */
export function endText(outcome: TurnOutcome): string {
  return `${codeOf(outcome)}: ${outcomeNotice(outcome) ?? ''}`
}

function codeOf(outcome: TurnOutcome): string {
  return outcome.type === 'failed' ? outcome.code : outcome.type
}

/** What to do about a turn that nobody here could decide about. */
export function goesOnText({ approval: { approval, request } }: Extract<TurnEnd, { type: 'waiting' }>): string {
  return `${request.tool} waits for your approval. The turn is kept; continue it with \`foreword approve ${approval}\`.`
}

/** A turn for programs. */
export async function turnDocument(
  connection: Connection,
  turn: TurnPlace,
  end: TurnEnd,
  citations: readonly Source[] = [],
): Promise<object> {
  const { text, calls, totals, notice } = await turnView(connection, turn)
  const failed = end.type !== 'waiting' && end.type !== 'cancelled' && !isAnswered(end)
  return {
    sessionId: turn.session,
    turnId: turn.turn,
    outcome: end.type,
    text,
    calls,
    usage: totals,
    ...(citations.length === 0 ? {} : { citations }),
    ...(failed ? { error: { code: codeOf(end), message: outcomeNotice(end) } } : {}),
    ...(notice === undefined || failed ? {} : { notice }),
    ...(end.type === 'waiting' ? { approval: end.approval } : {}),
  }
}
