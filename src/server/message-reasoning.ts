import { type Message } from '../context.ts'

/** The reasoning text of a message; empty for messages that are not a model's. */
export function messageReasoning({ content }: Message): string {
  if (typeof content === 'string') return ''
  let text = ''
  for (const part of content) if (part.type === 'reasoning') text += part.text
  return text
}
