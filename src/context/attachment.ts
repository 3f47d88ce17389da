import { type Message, userMessage } from './message.ts'

/** A text file that came with a user message. It stands right above the first message of its turn, in history too. */
export interface Attachment {
  /** The turn it came with. */
  readonly turn: string
  /** Unique within one assembly. */
  readonly id: string
  /** What the tool that reads files calls it; `id` unless given. The same file may come with several turns. */
  readonly file?: string
  readonly name: string
  /** The file's text. Blank or absent: the model reads a notice instead of an empty block. */
  readonly text?: string
  /** Cost in tokens by the counter of the assembly. Counted when absent. */
  readonly tokens?: number
}

/** What the model reads for a file (BEHAVIOURS §3.4). */
export function attachmentText({ name, text }: Attachment): string {
  if (text === undefined || text.trim() === '') return `File: ${name}\n(This file holds no readable text.)`
  return `File: ${name}\n${text}\nEnd of File`
}

export function attachmentMessage(attachment: Attachment): Message {
  return userMessage(attachmentText(attachment))
}
