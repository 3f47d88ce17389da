import { type AssistantMessage, messageText } from '../context.ts'
import type { ModelEvent } from '../model.ts'
import type { AnswerLimit, TurnOutcome } from '../session.ts'

type Finish = Extract<ModelEvent, { type: 'finish' }>

/**
 * How a turn ends with this answer, which calls no tool (BEHAVIOURS §1.6). Without words it is never `completed`, whatever
 * the provider says.
 */
export function answerOutcome(
  message: AssistantMessage,
  { reason, limit, message: given }: Finish,
): Exclude<TurnOutcome, { type: 'cancelled' | 'failed' }> {
  if (reason === 'content-filter') return { type: 'content-filter' }
  const cutAt: AnswerLimit | undefined = reason === 'length' ? (limit ?? 'tokens') : undefined
  if (messageText(message).trim() === '') {
    const type = hasReasoning(message) ? 'reasoning-only' : 'empty'
    return { type, ...(cutAt === undefined ? {} : { limit: cutAt }) }
  }
  if (cutAt !== undefined) return { type: 'length', limit: cutAt }
  // Calls of a last step are taken out of its message: what is left is the whole answer.
  const calledInVain = reason === 'tool-calls' && given !== message
  return { type: reason === 'stop' || calledInVain ? 'completed' : 'other' }
}

function hasReasoning({ content }: AssistantMessage): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'reasoning')
}
