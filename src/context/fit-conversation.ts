import { announcement } from './announcement.ts'
import type { ConversationInput } from './conversation-input.ts'
import { clearAnswered, currentSections, fitAnswered, fitResults } from './current-turn.ts'
import { cutConversation, type CutDecision } from './cut-conversation.ts'
import { type CutLine, cutLine, formAt, cutMarks } from './cut-line.ts'
import {
  announcementSections,
  cutReason,
  droppedBefore,
  earlierSections,
  messageSections,
  turnSections,
  undoneSections,
} from './history-section.ts'
import { leavesRoom } from './layout.ts'
import type { Cut } from './cut.ts'
import { sumTokens } from './priced-turn.ts'
import type { Section } from './section.ts'
import type { FormedMessage } from './tool-output.ts'

/** Settled turns and the current one as they are sent. */
export interface FittedConversation {
  /** In reading order, every candidate once. */
  readonly history: readonly Section[]
  readonly current: readonly Section[]
  /** Marks for the next call; absent where nothing was cut. */
  readonly cut: Cut | undefined
}

/** Puts a conversation into its room, and accounts for every piece of it. */
export function fitConversation(conversation: ConversationInput): FittedConversation {
  const line = cutLine(conversation)
  const decision = cutConversation(conversation, line, (from) => announced(conversation, line, from)?.tokens ?? 0)
  return placeConversation(conversation, line, decision)
}

/** The words about what was dropped before a unit. */
export function announced(conversation: ConversationInput, line: CutLine, from: number) {
  return announcement(droppedBefore(conversation, line, from), conversation.readers, conversation.counter)
}

/** A conversation as it was decided to be cut, and the account of every piece of it. */
export function placeConversation(
  conversation: ConversationInput,
  line: CutLine,
  decision: CutDecision,
): FittedConversation {
  const { current, room, rule, counter } = conversation
  const messages = currentMessages(conversation, line, decision)

  const settled = rule.unit === 'turn' ? turnSections : messageSections
  const kept = settled(conversation, line, decision)
  const tokens = sumTokens(kept.map(({ entry }) => entry)) + sumTokens(current.attachments) + sumTokens(messages)
  const note = announced(conversation, line, decision.from)
  return {
    history: [
      ...earlierSections(conversation),
      ...undoneSections(conversation),
      ...announcementSections(note, tokens + (note?.tokens ?? 0) <= room),
      ...kept,
    ],
    current: currentSections(
      current,
      messages,
      decision.missingRoom === undefined ? cutReason(rule) : { code: 'shortage' },
      counter,
    ),
    cut: cutMarks(conversation, line, decision),
  }
}

function currentMessages(
  { current, counter, readers, rule }: ConversationInput,
  line: CutLine,
  decision: CutDecision,
): readonly FormedMessage[] {
  const messages = current.messages.map((_, index) => current.messageAt(index, formAt(decision, line.current + index)))
  if (decision.missingRoom === undefined) return messages
  const limit = decision.missingRoom - sumTokens(current.attachments)
  // A just-fit layout keeps no marks: nothing has to look as it did in the call before, and no room is left unused.
  const answered = leavesRoom(rule) ? undefined : fitAnswered(current, limit, counter, readers.history)
  return answered ?? fitResults(clearAnswered(current, messages, limit), limit, counter, readers.history)
}
