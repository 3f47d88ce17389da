import type { ConversationInput } from './conversation-input.ts'
import { type ConversationNote, noteId, noteMessage } from './conversation-note.ts'
import type { Origin } from './layer.ts'
import { type PricedTurn, sumFullTokens } from './priced-turn.ts'
import type { Reason } from './reason.ts'
import { attachmentSections, includedSection, omittedSection, type Section, turnSection } from './section.ts'

/** A turn that stays as it was said. */
export function firstSections(turn: PricedTurn, isShown: boolean): readonly Section[] {
  if (!isShown) return goneSections(turn, { code: 'shortage' })
  return [
    ...attachmentSections(turn.attachments, 'history'),
    turnSection(turn.id, 'history', turn.messages, turn.messages, { code: 'noted' }),
  ]
}

/** A turn that is not sent, with its files. */
export function goneSections(turn: PricedTurn, reason: Reason): readonly Section[] {
  const origin: Origin = { kind: 'user', ref: turn.id }
  return [
    ...attachmentSections(turn.attachments, 'history', reason),
    omittedSection({
      id: turn.id,
      layer: 'turn',
      slot: 'history',
      fullTokens: sumFullTokens(turn.messages),
      reason,
      origin,
    }),
  ]
}

/** A note in its place. */
export function noteSection(note: ConversationNote, isShown: boolean, counter: ConversationInput['counter']): Section {
  const message = noteMessage(note, counter)
  const origin: Origin = note.by === undefined ? { kind: 'operator', ref: 'foreword' } : { kind: 'model', ref: note.by }
  const about = { id: noteId(note), layer: 'note', slot: 'history' as const, origin }
  if (!isShown) return omittedSection({ ...about, fullTokens: message.tokens, reason: { code: 'shortage' } })
  return includedSection({ ...about, form: note.by === undefined ? 'index' : 'words', tokens: message.tokens }, [
    message,
  ])
}
