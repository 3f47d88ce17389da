import { announcement } from './announcement.ts'
import type { ConversationInput } from './conversation-input.ts'
import { currentSections, fitAnswered, fitResults } from './current-turn.ts'
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
import type { Cut } from './manifest.ts'
import { sumTokens } from './priced-turn.ts'
import type { Section } from './section.ts'
import type { FormedMessage } from './tool-output.ts'

/** Settled turns and the current one as they are sent. */
interface FittedConversation {
  /** In reading order, every candidate once. */
  readonly history: readonly Section[]
  readonly current: readonly Section[]
  /** Marks for the next call; absent where nothing was cut. */
  readonly cut: Cut | undefined
}

/** Puts a conversation into its room, and accounts for every piece of it. */
export function fitConversation(conversation: ConversationInput): FittedConversation {
  const { current, room, rule, readers, counter } = conversation
  const line = cutLine(conversation)
  const noteBefore = (from: number) => announcement(droppedBefore(conversation, line, from), readers, counter)
  const decision = cutConversation(conversation, line, (from) => noteBefore(from)?.tokens ?? 0)
  const messages = currentMessages(conversation, line, decision)

  const settled = rule.unit === 'turn' ? turnSections : messageSections
  const kept = settled(conversation, line, decision)
  const tokens = sumTokens(kept.map(({ entry }) => entry)) + sumTokens(current.attachments) + sumTokens(messages)
  const note = noteBefore(decision.from)
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
  return answered ?? fitResults(messages, limit, counter, readers.history)
}
