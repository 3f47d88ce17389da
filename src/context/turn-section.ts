import { announcement } from './announcement.ts'
import { type CutState, droppedBefore, type HistoryInput } from './history.ts'
import type { Origin } from './layer.ts'
import type { CutRule } from './layout.ts'
import type { Reason } from './manifest.ts'
import { type PricedTurn, smallestForm, sumTokens } from './priced-turn.ts'
import { attachmentSections, included, omitted, type Section } from './section.ts'
import type { Unpaired } from './pairing.ts'
import { messageTokens, type TokenCounter } from './token-counter.ts'
import { type FormedMessage, outputForms, type PricedMessage } from './tool-output.ts'

/** The account of a history that is cut by turns. */
export function turnSections(input: HistoryInput, state: CutState): readonly Section[] {
  const { turns, counter } = input
  const reason = cutReason(input.rule)
  let led = false
  return [
    ...earlierSections(input, reason),
    ...announcementSections(input, state.from),
    ...turns.flatMap((turn, index) => {
      const unpaired = unpairedSections(turn.id, turn.unpaired, 'history', counter)
      if (index < state.from) return [...droppedSections(turn, reason), ...unpaired]
      const sections = keptSections(turn, state.levels[index]!, reason, led)
      led ||= sections.some(({ messages }) => messages.length > 0)
      return [...sections, ...unpaired]
    }),
  ]
}

export function cutReason({ lowWater }: CutRule): Reason {
  return { code: lowWater < 1 ? 'low-water' : 'budget' }
}

/** Older turns that were not read count as one candidate. */
export function earlierSections({ earlier }: HistoryInput, reason: Reason): readonly Section[] {
  if (!earlier || earlier.turns === 0) return []
  const origin: Origin = { kind: 'user', ref: 'earlier' }
  const why: Reason = { ...reason, turns: earlier.turns }
  return [omitted({ id: 'earlier', layer: 'turn', slot: 'history', fullTokens: earlier.tokens, reason: why, origin })]
}

/** Calls and results that were taken out because their partner is missing. */
export function unpairedSections(
  turn: string,
  unpaired: readonly Unpaired[],
  slot: 'history' | 'input',
  counter: TokenCounter,
): readonly Section[] {
  return unpaired.map(({ toolCallId, message, tokens }, index) =>
    omitted({
      id: `${turn}/unpaired-${index + 1}`,
      layer: 'unpaired',
      slot,
      fullTokens: tokens ?? messageTokens(counter, message),
      reason: { code: 'unpaired', toolCallId },
      origin: message.role === 'tool' ? { kind: 'tool', ref: toolCallId } : { kind: 'model', ref: toolCallId },
    }),
  )
}

function announcementSections(input: HistoryInput, from: number): readonly Section[] {
  const told = announcement(droppedBefore(input, from), input.readers, input.counter)
  if (!told) return []
  return [announcementSection(told, input.turns.length === from && told.tokens > input.room)]
}

/** The words about what was dropped; left out where even they do not fit. */
export function announcementSection(told: PricedMessage, tooLong: boolean): Section {
  const about = {
    id: 'announcement',
    layer: 'announcement',
    slot: 'history' as const,
    origin: { kind: 'operator', ref: 'foreword' } as Origin,
  }
  if (tooLong) return omitted({ ...about, fullTokens: told.tokens, reason: { code: 'budget' } })
  return included({ ...about, form: 'full', tokens: told.tokens }, [told])
}

function droppedSections(turn: PricedTurn, reason: Reason): readonly Section[] {
  const { messageTokens: fullTokens } = turn.at('full')
  return [
    ...attachmentSections(turn.attachments, 'history', reason),
    omitted({
      id: turn.id,
      layer: 'turn',
      slot: 'history',
      fullTokens,
      reason,
      origin: originOf(turn),
    }),
  ]
}

function keptSections(turn: PricedTurn, level: number, reason: Reason, led: boolean): readonly Section[] {
  const { messages } = turn.at(outputForms[level]!)
  const files = attachmentSections(turn.attachments, 'history')
  const first = led || files.length > 0 ? 0 : messages.findIndex(({ message }) => message.role === 'user')
  if (first === 0 || messages.length === 0) return [...files, keptSection(turn, messages, turn.messages, reason)]
  const lead = { code: 'not-led-by-user' } as const
  const about = { layer: 'turn', slot: 'history' as const, reason: lead, origin: originOf(turn) }
  if (first === -1) return [omitted({ ...about, id: turn.id, fullTokens: sumTokens(turn.messages) })]
  return [
    omitted({ ...about, id: `${turn.id}/lead`, fullTokens: sumTokens(turn.messages.slice(0, first)) }),
    keptSection(turn, messages.slice(first), turn.messages.slice(first), reason),
  ]
}

function keptSection(
  turn: PricedTurn,
  messages: readonly FormedMessage[],
  full: readonly PricedMessage[],
  reason: Reason,
): Section {
  const form = smallestForm(messages)
  const tokens = sumTokens(messages)
  const about = { id: turn.id, layer: 'turn', slot: 'history' as const, form, tokens, origin: originOf(turn) }
  if (form === 'full') return included(about, messages)
  return { entry: { ...about, outcome: 'reduced', fullTokens: sumTokens(full), reason }, messages }
}

function originOf({ id }: PricedTurn): Origin {
  return { kind: 'user', ref: id }
}
