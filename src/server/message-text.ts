import { type Message } from '../context.ts'

/** What the model says in a message, without reasoning and tool calls. Empty for the messages of others. */
export function messageText(message: Message): string {
  return partsText(message, 'text')
}

export function messageReasoning(message: Message): string {
  return partsText(message, 'reasoning')
}

function partsText(message: Message, type: 'text' | 'reasoning'): string {
  if (message.role !== 'assistant') return ''
  if (typeof message.content === 'string') return type === 'text' ? message.content : ''
  let text = ''
  for (const part of message.content) if (part.type === type) text += part.text
  return text
}
