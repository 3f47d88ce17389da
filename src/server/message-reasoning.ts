import { type Message } from '../context.ts'

/** What the model thought aloud in a message. Empty for the messages of others. */
export function messageReasoning({ content }: Message): string {
  if (typeof content === 'string') return ''
  let text = ''
  for (const part of content) if (part.type === 'reasoning') text += part.text
  return text
}
