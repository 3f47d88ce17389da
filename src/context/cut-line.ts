import type { ConversationInput } from './conversation-input.ts'
import { answeredBefore } from './current-turn.ts'
import type { Cut } from './cut.ts'
import type { PricedAttachment, PricedTurn } from './priced-turn.ts'
import type { OutputForm } from './tool-output.ts'

/** All messages of a conversation, oldest first, and which of them are left out together. */
export interface CutLine {
  readonly messages: readonly LineMessage[]
  /** What can be left out, oldest first: turns, or files and messages. None of the current turn. */
  readonly units: readonly Unit[]
  /** Position of the first message of the current turn. */
  readonly current: number
}

interface LineMessage {
  readonly turn: PricedTurn
  /** Within its turn. */
  readonly index: number
}

/** A turn with its files, one message, or one file. */
export interface Unit {
  readonly turn: PricedTurn
  /** What a mark in front of it is called. */
  readonly mark: string
  /** Positions of its messages: from `first` up to and without `end`. */
  readonly first: number
  readonly end: number
  /** Of the first of its messages within the turn. */
  readonly index: number
  readonly files: readonly PricedAttachment[]
}

/** The state of a cut: everything before a position of the line has been cut. */
export interface CutState {
  /** The unit before which everything is left out. */
  readonly from: number
  /** The position before which tool results are cleared. */
  readonly cleared: number
  /** The position before which they are excerpts, unless they are cleared. */
  readonly excerpted: number
}

/** Lays a conversation out, message by message. */
export function cutLine({ turns, current, rule }: ConversationInput): CutLine {
  const messages: LineMessage[] = []
  const units: Unit[] = []
  for (const turn of turns) {
    const first = messages.length
    for (const index of turn.messages.keys()) messages.push({ turn, index })
    if (rule.unit === 'turn') {
      units.push({ turn, mark: turn.id, first, end: messages.length, index: 0, files: turn.attachments })
      continue
    }
    for (const file of turn.attachments) {
      units.push({ turn, mark: `${turn.id}/${file.id}`, first, end: first, index: 0, files: [file] })
    }
    for (const index of turn.messages.keys()) {
      const at = first + index
      units.push({ turn, mark: messageMark(turn, index), first: at, end: at + 1, index, files: [] })
    }
  }
  const start = messages.length
  for (const index of current.messages.keys()) messages.push({ turn: current, index })
  return { messages, units, current: start }
}

/** What a mark in front of a message is called: `TURN/NUMBER`, counted from 1. */
export function messageMark({ id }: PricedTurn, index: number): string {
  return `${id}/${index + 1}`
}

/** The form that tool results at a position have. */
export function formAt({ cleared, excerpted }: CutState, position: number): OutputForm {
  if (position < cleared) return 'tool-output-cleared'
  return position < excerpted ? 'tool-output-excerpt' : 'full'
}

/** Tokens of one message as a cut leaves it. */
export function tokensAt({ messages }: CutLine, position: number, form: OutputForm): number {
  const { turn, index } = messages[position]!
  return turn.messageAt(index, form).tokens
}

/** Tokens of a unit as a cut leaves it. */
export function unitTokens(line: CutLine, { first, end, files }: Unit, state: CutState): number {
  let tokens = 0
  for (const file of files) tokens += file.tokens
  for (let at = first; at < end; at++) tokens += tokensAt(line, at, formAt(state, at))
  return tokens
}

/** Tokens of everything that a cut leaves, the current turn with it. */
export function decidedTokens({ current }: ConversationInput, line: CutLine, state: CutState): number {
  let tokens = 0
  for (const unit of line.units.slice(state.from)) tokens += unitTokens(line, unit, state)
  for (const file of current.attachments) tokens += file.tokens
  for (let at = line.current; at < line.messages.length; at++) tokens += tokensAt(line, at, formAt(state, at))
  return tokens
}

/** Tokens of results at the very front whose call was left out: they are not sent. */
export function orphanTokens(line: CutLine, state: CutState): number {
  let tokens = 0
  for (const { turn, first, end, index } of state.from > 0 ? line.units.slice(state.from) : []) {
    if (end === first) continue
    if (turn.messages[index]!.message.role !== 'tool') break
    tokens += tokensAt(line, first, formAt(state, first))
  }
  return tokens
}

/** The positions of the last cut's marks in this conversation. A mark that names nothing in it is ignored. */
export function markedState(conversation: ConversationInput, line: CutLine): CutState {
  const { cut, current, shrinks } = conversation
  const from = cut?.dropBefore === undefined ? 0 : unitAt(conversation, line, cut.dropBefore)
  // What the model has not answered is behind no mark.
  const last = line.current + answeredBefore(current)
  const state = {
    from,
    cleared: Math.min(last, findPosition(conversation, line, cut?.clearBefore)),
    excerpted: Math.min(last, findPosition(conversation, line, cut?.excerptBefore)),
  }
  if (shrinks) return state
  // Nothing of a history shrinks here, except in a turn that was cut while it was the current one.
  const kept = oldestKept(conversation, line, from)
  const within = (position: number) => (line.messages[position - 1]?.turn === kept ? position : 0)
  return { from, cleared: within(state.cleared), excerpted: within(state.excerpted) }
}

/** The oldest turn that the last cut left; `undefined` where it may be one that was not loaded. */
function oldestKept(
  { cut, earlier, current }: ConversationInput,
  { units }: CutLine,
  from: number,
): PricedTurn | undefined {
  const oldest = units[from]
  const isNamed = [oldest?.mark, (oldest?.turn ?? current).id].includes(cut?.dropBefore)
  return isNamed || !earlier?.turns ? (oldest?.turn ?? current) : undefined
}

/** The marks that lead back to a state; absent where nothing was cut. */
export function cutMarks(conversation: ConversationInput, line: CutLine, state: CutState): Cut | undefined {
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
    // Two positions with no result between them have one mark, which is written once.
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
function findPosition({ current }: ConversationInput, line: CutLine, mark: string | undefined): number {
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

/** Only tool results are affected by these marks, so a mark names the next tool result, or a turn. */
function markAt({ current }: ConversationInput, { messages }: CutLine, position: number): string {
  const at = messages.findIndex(
    ({ turn, index }, place) => place >= position && (index === 0 || turn.messages[index]!.message.role === 'tool'),
  )
  if (at < 0) return messageMark(current, current.messages.length)
  const { turn, index } = messages[at]!
  return index === 0 ? turn.id : messageMark(turn, index)
}
