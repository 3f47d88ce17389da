import { announcement } from './announcement.ts'
import { type CutState, droppedBefore, type HistoryInput } from './history.ts'
import type { Origin } from './layer.ts'
import type { CutRule } from './layout.ts'
import type { Reason } from './manifest.ts'
import { type PricedTurn, smallestForm } from './priced-turn.ts'
import { attachmentSections, included, omitted, type Section } from './section.ts'
import type { Unpaired } from './pairing.ts'
import { messageTokens, type TokenCounter } from './token-counter.ts'
import { outputForms, type PricedMessage } from './tool-output.ts'

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
      origin: { kind: 'user', ref: turn.id },
    }),
  ]
}

function keptSections(turn: PricedTurn, level: number, reason: Reason, led: boolean): readonly Section[] {
  const { messages } = turn.at(outputForms[level]!)
  const first = led || turn.attachments.length > 0 ? 0 : messages.findIndex(({ message }) => message.role === 'user')
  const begin = first === -1 ? messages.length : first
  const kept = messages.slice(begin)
  const tokens = kept.reduce((sum, message) => sum + message.tokens, 0)
  const fullTokens = turn.messages.slice(begin).reduce((sum, message) => sum + message.tokens, 0)
  const about = {
    id: turn.id,
    layer: 'turn',
    slot: 'history' as const,
    origin: { kind: 'user', ref: turn.id } as Origin,
  }
  const leading = turn.messages.slice(0, begin).reduce((sum, message) => sum + message.tokens, 0)
  const notLed: Reason = { code: 'not-led-by-user' }
  if (kept.length === 0 && messages.length > 0) return [omitted({ ...about, fullTokens: leading, reason: notLed })]
  const form = smallestForm(kept)
  const section: Section =
    form === 'full'
      ? included({ ...about, form, tokens }, kept)
      : { entry: { ...about, outcome: 'reduced', form, tokens, fullTokens, reason }, messages: kept }
  const dropped = begin > 0 ? [omitted({ ...about, id: `${turn.id}/lead`, fullTokens: leading, reason: notLed })] : []
  return [...attachmentSections(turn.attachments, 'history'), ...dropped, section]
}
