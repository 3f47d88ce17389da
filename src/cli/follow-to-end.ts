import type { GatewayConnection, Io } from '../capability.ts'
import { defined } from '../platform.ts'
import { isAnswered, outcomeNotice } from '../runtime.ts'
import type { CitationSource, TurnOutcome } from '../session.ts'
import { standaloneQuestioner, isInteractive } from './approval/asking.ts'
import { unattendedWatch, leavable, type LeavableWatch, personWatch } from './approval/watch.ts'
import { runInterruptible, watchOutput } from './interrupt.ts'
import { note, applyStyle } from './io.ts'
import type { TurnDisplay } from './turn-display.ts'
import { cancel, follow, type TurnEnd, type TurnReference, fetchTurn } from './turn.ts'

interface FollowToEndOptions {
  readonly display?: TurnDisplay | undefined
  /** Whether to ask about waiting calls on a terminal. */
  readonly asks: boolean
  /** The last known event. Absent: from the beginning of the turn. */
  readonly after?: string
}

/**
 * Begins a turn and follows it to its end. Ctrl-C, SIGTERM, SIGHUP or an output that nothing reads any more cancels it, and
 * leaves one that waits for a person as it is.
 */
export async function followToEnd<Turn extends TurnReference>(
  connection: GatewayConnection,
  begin: () => Promise<Turn>,
  io: Io,
  { display, asks, after }: FollowToEndOptions,
): Promise<{ readonly turn: Turn; readonly end: TurnEnd }> {
  const begun = Promise.withResolvers<Turn>()
  let watch: LeavableWatch | undefined
  return await runInterruptible(
    io,
    () => {
      if (watch?.leave() !== true) void begun.promise.then((turn) => cancel(connection, turn)).catch(() => {})
    },
    async (interrupt) => {
      const turn = await begin()
      begun.resolve(turn)
      const person = asks && isInteractive(io)
      watch = leavable(
        person ? personWatch(connection, io, standaloneQuestioner(io, interrupt)) : unattendedWatch(connection, io),
      )
      return { turn, end: await follow(connection, turn, { display, watch, ...defined({ after }) }) }
    },
  )
}

/** The exit code of a command whose turn waits for a person. */
export const EXIT_WAITING = 3

/** Prints how a turn ended, unless it completed. The exit code is 0 only where there is an answer. `place`: the command as written. */
export function reportTurnEnd(place: string, turn: TurnReference, end: TurnEnd, io: Io): number {
  if (end.type === 'completed') return 0
  if (end.type === 'cancelled') {
    // Who read the output has seen enough.
    if (watchOutput(io).exitCode !== undefined) return 130
    note(io, `Cancelled. ${keptText(turn, end)}`)
    return 130
  }
  if (end.type === 'waiting') {
    note(io, `${applyStyle(io, 'yellow', place, io.stderr)}: ${waitingText(end)}`)
    note(io, `  Continue the session with \`foreword chat --session ${turn.session}\`.`)
    return EXIT_WAITING
  }
  const answered = isAnswered(end)
  note(io, `${applyStyle(io, answered ? 'yellow' : 'red', place, io.stderr)}: ${endText(end)}`)
  if (!answered) note(io, `  ${keptText(turn, end)}`)
  return answered ? 0 : 1
}

/** Where a message without an answer is, and what has it answered. */
function keptText({ session }: TurnReference, end: TurnOutcome): string {
  const kept = `The message is kept in session ${session}.`
  return isTooLarge(end) ? kept : `${kept} To have it answered: foreword send --session ${session} "go on"`
}

/** A message that did not fit is not sent with the next one either. */
export function isTooLarge(end: TurnOutcome): boolean {
  return end.type === 'failed' && end.code === 'context-overflow'
}

/** How a turn ended that did not complete: a code for programs, and a sentence. */
export function endText(outcome: TurnOutcome): string {
  return `${outcomeCode(outcome)}: ${outcomeNotice(outcome) ?? ''}`
}

function outcomeCode(outcome: TurnOutcome): string {
  return outcome.type === 'failed' ? outcome.code : outcome.type
}

/** What to do about a turn that waits for a decision. */
export function waitingText({ approval: { approval, request } }: Extract<TurnEnd, { type: 'waiting' }>): string {
  return `${request.tool} waits for your approval. The turn is kept. Continue it with \`foreword approve ${approval}\`.`
}

export async function turnDocument(
  connection: GatewayConnection,
  turn: TurnReference,
  end: TurnEnd,
  citations: readonly CitationSource[] = [],
): Promise<object> {
  const { text, calls, totals, notice, warnings } = await fetchTurn(connection, turn)
  const failed = end.type !== 'waiting' && end.type !== 'cancelled' && !isAnswered(end)
  return {
    sessionId: turn.session,
    turnId: turn.turn,
    outcome: end.type,
    text,
    calls,
    usage: totals,
    ...(citations.length === 0 ? {} : { citations }),
    ...(failed ? { error: { code: outcomeCode(end), message: outcomeNotice(end) } } : {}),
    ...(notice === undefined || failed ? {} : { notice }),
    ...(warnings.length > 0 && { warnings }),
    ...(end.type === 'waiting' ? { approval: end.approval } : {}),
  }
}
