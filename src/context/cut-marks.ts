import type { ConversationInput } from './conversation-input.ts'
import { answeredBefore } from './current-turn.ts'
import { type CutLine, type CutState, messageMark } from './cut-line.ts'
import type { Cut } from './manifest.ts'

/** Where the marks of the last cut stand in this conversation. A mark that names nothing in it is ignored. */
export function markedState(conversation: ConversationInput, line: CutLine): CutState {
  const { cut, current, shrinks } = conversation
  const from = cut?.dropBefore === undefined ? 0 : unitAt(conversation, line, cut.dropBefore)
  // What the model has not answered is behind no mark.
  const last = line.current + answeredBefore(current)
  const state = {
    from,
    cleared: Math.min(last, positionOf(conversation, line, cut?.clearBefore)),
    excerpted: Math.min(last, positionOf(conversation, line, cut?.excerptBefore)),
  }
  if (shrinks) return state
  // Nothing of a history shrinks here, except in a turn that was cut while it was the current one.
  const kept = line.units[from]?.turn ?? current
  const within = (position: number) => (line.messages[position - 1]?.turn === kept ? position : 0)
  return { from, cleared: within(state.cleared), excerpted: within(state.excerpted) }
}

/** The marks that lead back to a state; absent where nothing was cut. */
export function marksOf(conversation: ConversationInput, line: CutLine, state: CutState): Cut | undefined {
  const { cut, earlier, current } = conversation
  const { from, cleared, excerpted } = state
  const standing = line.units[from]?.first ?? line.current
  const clearBefore = cleared > standing ? markAt(conversation, line, cleared) : undefined
  const excerptBefore = excerpted > cleared && excerpted > standing ? markAt(conversation, line, excerpted) : undefined
  const marks: Cut = {
    ...(from > 0
      ? { dropBefore: line.units[from]?.mark ?? current.id }
      : earlier && cut?.dropBefore
        ? { dropBefore: cut.dropBefore }
        : {}),
    ...(clearBefore === undefined ? {} : { clearBefore }),
    // Two positions with no result between them have one mark, and it is named once: a call that repeats it says the same.
    ...(excerptBefore === undefined || excerptBefore === clearBefore ? {} : { excerptBefore }),
  }
  return Object.keys(marks).length > 0 ? marks : undefined
}

/** A mark is a turn, a message or a file; where nothing was left, it is the current turn. */
function unitAt({ current }: ConversationInput, { units }: CutLine, mark: string): number {
  if (mark === current.id) return units.length
  return Math.max(
    0,
    units.findIndex((unit) => unit.mark === mark || unit.turn.id === mark),
  )
}

/** A mark is a turn, or a message of it: `TURN/NUMBER`. */
function positionOf({ current }: ConversationInput, line: CutLine, mark: string | undefined): number {
  if (mark === undefined) return 0
  const { messages } = line
  const at = messages.findIndex(({ turn, index }) => index === 0 && turn.id === mark)
  if (at >= 0) return at
  if (mark === current.id) return line.current
  const [, id, number] = /^(.*)\/(\d+)$/s.exec(mark) ?? []
  const first = messages.findIndex(({ turn }) => turn.id === id)
  if (first < 0) return 0
  return first + Math.min(Number(number) - 1, messages[first]!.turn.messages.length)
}

/** What is no tool result does not care on which side of a mark it stands: so a mark names the next that does, or a turn. */
function markAt({ current }: ConversationInput, { messages }: CutLine, position: number): string {
  const at = messages.findIndex(
    ({ turn, index }, place) => place >= position && (index === 0 || turn.messages[index]!.message.role === 'tool'),
  )
  if (at < 0) return messageMark(current, current.messages.length)
  const { turn, index } = messages[at]!
  return index === 0 ? turn.id : messageMark(turn, index)
}
