import type { Turn } from '../log/conversation.ts'
import { t } from '../language/language.ts'

/** What a screen reader has been told of a conversation. */
export interface Spoken {
  readonly turn: string | undefined
  /** Characters of the answer. */
  readonly length: number
  readonly ended: boolean
  /** Ids of the tool calls that wait for a person. */
  readonly asked: readonly string[]
}

/** Characters after which a paragraph is announced in pieces. */
const LONGEST = 600

/**
 * What is to be told of the newest turn: whole paragraphs of its answer, never single words, and what a person has to decide.
 * `told` is what was told of it before; of a conversation that was just opened, all that it has.
 */
export function nextSpoken(turn: Turn | undefined, told: Spoken): { readonly text: string; readonly told: Spoken } {
  if (turn === undefined) return { text: '', told }
  const before = turn.id === told.turn ? told : { turn: turn.id, length: 0, ended: false, asked: [] }
  const whole = turn.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
  const ended = turn.state === 'ended'
  const end = ended ? whole.length : Math.max(before.length, endOfParagraph(whole, before.length))
  const waiting = turn.parts.flatMap((part) => (part.type === 'tool' && part.state === 'waiting' ? [part] : []))
  const asked = waiting.filter(({ toolCallId }) => !before.asked.includes(toolCallId))
  const said = [
    whole.slice(before.length, end).trim(),
    ...asked.map(({ name }) => t`${name} waits for your decision.`),
    ...(ended && !before.ended ? [t`End of the answer.`] : []),
  ].filter((part) => part !== '')
  return {
    text: said.join('\n'),
    told: { turn: turn.id, length: end, ended, asked: waiting.map(({ toolCallId }) => toolCallId) },
  }
}

/** Where the last whole paragraph ends, or the last sentence of one that grows long; -1 where none does. */
function endOfParagraph(text: string, from: number): number {
  const paragraph = text.lastIndexOf('\n\n')
  if (paragraph > from || text.length - from < LONGEST) return paragraph
  return text.lastIndexOf('. ') + 1
}
