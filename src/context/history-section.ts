import type { Dropped } from './announcement.ts'
import type { ConversationInput } from './conversation-input.ts'
import type { CutDecision } from './cut-conversation.ts'
import { type CutLine, type CutState, formAt, messageMark, type Unit, unitTokens } from './cut-line.ts'
import type { Origin } from './layer.ts'
import { type CutRule, leavesRoom } from './layout.ts'
import { toolCalls, toolResults } from './message.ts'
import { type PricedTurn, sumFullTokens } from './priced-turn.ts'
import type { Reason } from './reason.ts'
import {
  attachmentSections,
  includedSection,
  omittedSection,
  reducedSection,
  type Section,
  turnSection,
  wholeSection,
  unpairedSections,
} from './section.ts'
import type { FormedMessage, PricedMessage } from './tool-output.ts'

/** Why a layout cuts, and down to which share of the room where that is not all of it. */
export function cutReason(rule: CutRule): Reason {
  return leavesRoom(rule) ? { code: 'low-water', share: rule.lowWater } : { code: 'budget' }
}

/** Why a unit is left out: with what it wanted and what was free where this call decided that, tokens. */
function leftReason(rule: CutRule, line: CutLine, decision: CutDecision, index: number): Reason {
  const drop = decision.drops.find(({ from, before }) => index >= from && index < before)
  if (!drop) return cutReason(rule)
  const reason = drop.toLowWater ? cutReason(rule) : { code: cutReason(rule).code }
  return { ...reason, wanted: unitTokens(line, line.units[index]!, decision), free: drop.free }
}

/** Older turns that were not read count as one candidate. */
export function earlierSections({ earlier, rule }: ConversationInput): readonly Section[] {
  if (!earlier || earlier.turns === 0) return []
  const origin: Origin = { kind: 'user', ref: 'earlier' }
  const reason: Reason = { ...cutReason(rule), turns: earlier.turns }
  return [omittedSection({ id: 'earlier', layer: 'turn', slot: 'history', fullTokens: earlier.tokens, reason, origin })]
}

/** Turns that were taken back, each by its name. */
export function undoneSections({ undone }: ConversationInput): readonly Section[] {
  return undone.map(({ turn, tokens }) =>
    omittedSection({
      id: turn,
      layer: 'turn',
      slot: 'history',
      fullTokens: tokens,
      reason: { code: 'undone' },
      origin: { kind: 'user', ref: turn },
    }),
  )
}

/**
 * The note of a history on everything before the unit `from`. Files are in the order of their names, so that it does not
 * matter in which order they were handed in, nor which turns were loaded.
 */
export function droppedBefore(
  { rule, earlier, earlierFiles }: ConversationInput,
  { units }: CutLine,
  from: number,
): Dropped {
  const gone = units.slice(0, from)
  const count = rule.unit === 'turn' ? from : gone.filter(({ first, end }) => end > first).length
  const files = [...earlierFiles, ...gone.flatMap((unit) => unit.files)]
  return {
    count: count + (earlier?.turns ?? 0),
    unit: rule.unit,
    files: files.toSorted((one, other) => order(one.name, other.name) || order(one.id, other.id)),
  }
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** The words about what was dropped; left out where they do not fit: they never cost a turn. */
export function announcementSections(announcement: PricedMessage | undefined, fits: boolean): readonly Section[] {
  if (!announcement) return []
  const about = {
    id: 'announcement',
    layer: 'announcement',
    slot: 'history' as const,
    origin: { kind: 'operator', ref: 'foreword' } as Origin,
  }
  if (!fits) return [omittedSection({ ...about, fullTokens: announcement.tokens, reason: { code: 'budget' } })]
  return [includedSection({ ...about, form: 'full', tokens: announcement.tokens }, [announcement])]
}

/** The account of settled turns where whole turns are left out. */
export function turnSections(
  { counter, rule }: ConversationInput,
  line: CutLine,
  state: CutDecision,
): readonly Section[] {
  const reason = cutReason(rule)
  let led = false
  return line.units.flatMap((unit, index) => {
    const { turn } = unit
    const unpaired = unpairedSections(turn.id, turn.unpaired, 'history', counter)
    if (index < state.from) return [...droppedSections(turn, leftReason(rule, line, state, index)), ...unpaired]
    const sections = keptSections(turn, formedMessages(unit, state), reason, led)
    led ||= sections.some(({ messages }) => messages.length > 0)
    return [...sections, ...unpaired]
  })
}

function formedMessages({ turn, first }: Unit, state: CutState): readonly FormedMessage[] {
  return turn.messages.map((_, index) => turn.messageAt(index, formAt(state, first + index)))
}

function droppedSections(turn: PricedTurn, reason: Reason): readonly Section[] {
  const about = { id: turn.id, layer: 'turn', slot: 'history' as const, reason, origin: turnOrigin(turn) }
  return [
    ...attachmentSections(turn.attachments, 'history', reason),
    omittedSection({ ...about, fullTokens: sumFullTokens(turn.messages) }),
  ]
}

function keptSections(
  turn: PricedTurn,
  messages: readonly FormedMessage[],
  reason: Reason,
  led: boolean,
): readonly Section[] {
  const files = attachmentSections(turn.attachments, 'history')
  const first = led || files.length > 0 ? 0 : messages.findIndex(({ message }) => message.role === 'user')
  if (first === 0 || messages.length === 0)
    return [...files, turnSection(turn.id, 'history', messages, turn.messages, reason)]
  const lead = { code: 'not-led-by-user' } as const
  const about = { layer: 'turn', slot: 'history' as const, reason: lead, origin: turnOrigin(turn) }
  if (first === -1) return [omittedSection({ ...about, id: turn.id, fullTokens: sumFullTokens(turn.messages) })]
  return [
    omittedSection({ ...about, id: `${turn.id}/lead`, fullTokens: sumFullTokens(turn.messages.slice(0, first)) }),
    turnSection(turn.id, 'history', messages.slice(first), turn.messages.slice(first), reason),
  ]
}

function turnOrigin({ id }: PricedTurn): Origin {
  return { kind: 'user', ref: id }
}

/**
 * The account of settled turns where single messages are left out. A tool result whose call was dropped goes too, so a
 * result never leads; the run is not refilled for that (BEHAVIOURS §3.2, §5).
 */
export function messageSections(
  { turns, counter, rule }: ConversationInput,
  line: CutLine,
  state: CutDecision,
): readonly Section[] {
  const reason = cutReason(rule)
  const orphans = orphansFrom(line, state.from)
  return [
    ...line.units.flatMap((unit, index) => {
      if (index < state.from) return unitSections(unit, state, { reason, left: leftReason(rule, line, state, index) })
      return unitSections(unit, state, { reason, ...(orphans.has(unit) ? { left: { code: 'unpaired' } } : {}) })
    }),
    ...turns.flatMap((turn) => unpairedSections(turn.id, turn.unpaired, 'history', counter)),
  ]
}

const originOfRole = { user: 'user', assistant: 'model', tool: 'tool' } as const

/** `reason`: why it stepped down, where it did. `left`: why it is left out. */
function unitSections(
  unit: Unit,
  state: CutState,
  { reason, left }: { readonly reason: Reason; readonly left?: Reason },
): readonly Section[] {
  const { turn, first, files } = unit
  const index = messageIndex(unit)
  if (index === undefined) return attachmentSections(files, 'history', left)
  const full = turn.messages[index]!
  const { role } = full.message
  const id = messageMark(turn, index)
  const origin: Origin = { kind: originOfRole[role], ref: id }
  const about = { id, layer: role, slot: 'history' as const, origin }
  if (left) return [omittedSection({ ...about, fullTokens: sumFullTokens([full]), reason: left })]
  const shown = turn.messageAt(index, formAt(state, first))
  const { form, tokens } = shown
  const section =
    form === 'full'
      ? wholeSection({ ...about, tokens }, [shown])
      : reducedSection({ ...about, form, tokens, reason }, [shown], [full])
  return [section]
}

/** Which message of its turn a unit is; `undefined`: it is a file. */
function messageIndex({ first, end, index }: Unit): number | undefined {
  return end > first ? index : undefined
}

function orphansFrom({ units }: CutLine, from: number): ReadonlySet<Unit> {
  const called = new Set<string>()
  const orphans = new Set<Unit>()
  for (const unit of units.slice(from)) {
    const index = messageIndex(unit)
    if (index === undefined) continue
    const { message } = unit.turn.messages[index]!
    for (const call of toolCalls(message)) called.add(call.toolCallId)
    const results = toolResults(message)
    if (results.length > 0 && !results.some((result) => called.has(result.toolCallId))) orphans.add(unit)
  }
  return orphans
}
