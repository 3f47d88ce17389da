import type { AssistantMessage } from '../context.ts'

/**
 * A message in which each call has an id of its own. Some models give one id twice, or none: results, questions and answers
 * go by it, and must not meet another call.
 */
export function distinctCalls(message: AssistantMessage): AssistantMessage {
  const { content } = message
  if (typeof content === 'string') return message
  const used = new Set<string>()
  const parts = content.map((part) => {
    if (part.type !== 'tool-call') return part
    const toolCallId = freeId(part.toolCallId || 'call', used)
    used.add(toolCallId)
    return toolCallId === part.toolCallId ? part : { ...part, toolCallId }
  })
  return { ...message, content: parts }
}

function freeId(wanted: string, used: ReadonlySet<string>): string {
  if (!used.has(wanted)) return wanted
  let count = used.size + 1
  while (used.has(`${wanted}-${count}`)) count += 1
  return `${wanted}-${count}`
}
