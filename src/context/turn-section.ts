import type { ConversationInput } from './conversation-input.ts'
import { type CutLine, type CutState, formAt, type Unit } from './cut-line.ts'
import { cutReason } from './history-section.ts'
import type { Origin } from './layer.ts'
import type { Reason } from './reason.ts'
import { type PricedTurn, smallestForm, sumFullTokens, sumTokens } from './priced-turn.ts'
import { attachmentSections, omitted, reduced, type Section, standing } from './section.ts'
import type { FormedMessage, PricedMessage } from './tool-output.ts'
import { unpairedSections } from './unpaired-section.ts'

/** The account of settled turns where whole turns are left out. */
export function turnSections({ counter, rule }: ConversationInput, line: CutLine, state: CutState): readonly Section[] {
  const reason = cutReason(rule)
  let led = false
  return line.units.flatMap((unit, index) => {
    const { turn } = unit
    const unpaired = unpairedSections(turn.id, turn.unpaired, 'history', counter)
    if (index < state.from) return [...droppedSections(turn, reason), ...unpaired]
    const sections = keptSections(turn, formedMessages(unit, state), reason, led)
    led ||= sections.some(({ messages }) => messages.length > 0)
    return [...sections, ...unpaired]
  })
}

function formedMessages({ turn, first }: Unit, state: CutState): readonly FormedMessage[] {
  return turn.messages.map((_, index) => turn.messageAt(index, formAt(state, first + index)))
}

function droppedSections(turn: PricedTurn, reason: Reason): readonly Section[] {
  const about = { id: turn.id, layer: 'turn', slot: 'history' as const, reason, origin: originOf(turn) }
  return [
    ...attachmentSections(turn.attachments, 'history', reason),
    omitted({ ...about, fullTokens: sumFullTokens(turn.messages) }),
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
  if (first === 0 || messages.length === 0) return [...files, keptSection(turn, messages, turn.messages, reason)]
  const lead = { code: 'not-led-by-user' } as const
  const about = { layer: 'turn', slot: 'history' as const, reason: lead, origin: originOf(turn) }
  if (first === -1) return [omitted({ ...about, id: turn.id, fullTokens: sumFullTokens(turn.messages) })]
  return [
    omitted({ ...about, id: `${turn.id}/lead`, fullTokens: sumFullTokens(turn.messages.slice(0, first)) }),
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
  const about = { id: turn.id, layer: 'turn', slot: 'history' as const, tokens, origin: originOf(turn) }
  return form === 'full' ? standing(about, messages) : reduced({ ...about, form, reason }, messages, full)
}

function originOf({ id }: PricedTurn): Origin {
  return { kind: 'user', ref: id }
}
