import { type Message, type ToolMessage, toolCalls, toolResults } from './message.ts'
import type { TurnMessage } from './turn.ts'

export interface PairedMessage extends TurnMessage {
  /** The given cost of the whole message, where only a part of it is left. Tokens. */
  readonly wholeTokens?: number
}

export interface Unpaired {
  readonly toolCallId: string
  /** The message with only the part that was taken out. */
  readonly message: Message
  /** The given cost of the whole message, where nothing of it is left. Tokens. */
  readonly tokens?: number
}

/**
 * A tool call and its result are kept or dropped together: a result answers a call of the nearest assistant message before
 * it, with nothing but results between. What has no partner is taken out.
 */
export function pairMessages(messages: readonly TurnMessage[]): {
  readonly messages: readonly PairedMessage[]
  readonly unpaired: readonly Unpaired[]
} {
  const hasTools = messages.some(({ message: { role, content } }) => {
    return role === 'tool' || (typeof content !== 'string' && content.some((part) => part.type === 'tool-call'))
  })
  const lonely = hasTools ? lonelyParts(messages.map(({ message }) => message)) : undefined
  if (!lonely || lonely.size === 0) return { messages, unpaired: [] }

  const kept: PairedMessage[] = []
  const unpaired: Unpaired[] = []
  for (const turnMessage of messages) {
    const { message } = turnMessage
    const content: readonly object[] = typeof message.content === 'string' ? [] : message.content
    const rest = content.filter((part) => !lonely.has(part))
    if (rest.length === content.length) {
      kept.push(turnMessage)
      continue
    }
    const { tokens } = turnMessage
    if (rest.length > 0) {
      kept.push({ message: withContent(message, rest), ...(tokens === undefined ? {} : { wholeTokens: tokens }) })
    }
    for (const part of [...toolCalls(message), ...toolResults(message)]) {
      if (!lonely.has(part)) continue
      const whole = rest.length === 0 && content.length === 1
      unpaired.push({
        toolCallId: part.toolCallId,
        message: withContent(message, [part]),
        ...(whole && tokens !== undefined ? { tokens } : {}),
      })
    }
  }
  return { messages: kept, unpaired }
}

function lonelyParts(messages: readonly Message[]): ReadonlySet<object> {
  const lonely = new Set<object>()
  const open = new Map<string, object>()
  const closeAll = () => {
    if (open.size === 0) return
    for (const call of open.values()) lonely.add(call)
    open.clear()
  }
  for (const message of messages) {
    if (message.role !== 'tool') closeAll()
    for (const call of toolCalls(message)) {
      if (call.providerExecuted) continue
      const twin = open.get(call.toolCallId)
      if (twin) lonely.add(twin)
      open.set(call.toolCallId, call)
    }
    for (const result of toolResults(message)) {
      if (!open.delete(result.toolCallId)) lonely.add(result)
    }
  }
  closeAll()
  return lonely
}

/** The parts are the message's own, so they have the content type of its role. */
function withContent(message: Message, content: readonly object[]): Message {
  return { ...message, content: content as ToolMessage['content'] } as Message
}
