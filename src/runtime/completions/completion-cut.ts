import { type AnyMessage, type Assembly, type ReasonCode, toolResults, type VerbatimAssembly } from '../../context.ts'
import type { CompletionCut } from '../../capability.ts'

/** What an assembly took out of a caller's conversation for want of room; `undefined` where it sends all of it. */
export function completionCut(
  messages: readonly AnyMessage[],
  { request, manifest }: Assembly | VerbatimAssembly,
): CompletionCut | undefined {
  const taken = manifest.entries.filter(
    ({ slot, outcome, reason }) =>
      (slot === 'history' || slot === 'input') && outcome !== 'included' && reason && FOR_ROOM.has(reason.code),
  )
  if (taken.length === 0) return undefined
  const sent = new Set<unknown>(request.messages)
  const answered = new Set(request.messages.flatMap(resultIds))
  const isAnswered = (message: AnyMessage) => resultIds(message).some((id) => answered.has(id))
  const changed = messages.filter((message) => message.role !== 'system' && !sent.has(message))
  return {
    messages: messages.length,
    messagesLeftOut: changed.filter((message) => !isAnswered(message)).length,
    resultsShortened: changed.filter(isAnswered).length,
    tokensLeftOut: taken.reduce((sum, { fullTokens, tokens }) => sum + fullTokens - tokens, 0),
  }
}

const FOR_ROOM: ReadonlySet<ReasonCode> = new Set(['low-water', 'budget', 'shortage'])

function resultIds(message: AnyMessage): readonly string[] {
  return toolResults(message).map(({ toolCallId }) => toolCallId)
}
