import type { SentPart } from '../../capability.ts'
import type { TelegramSender } from './api/telegram-sender.ts'
import type { ChatReference } from './chat-reference.ts'
import type { FormattedText } from './text/formatted-text.ts'

/** The messages of a chat with the parts of one reply. Only one call may run at a time. */
export interface ReplyMessages {
  /** Shows the reply so far: sends missing parts, and edits changed ones where that is possible at once. */
  grow(parts: readonly FormattedText[]): Promise<void>
  /** Shows the final reply: edits, sends and removes messages until the chat has exactly these parts. */
  finish(parts: readonly FormattedText[]): Promise<void>
  adopt(sent: readonly SentPart[]): void
  readonly sent: readonly SentPart[]
}

interface ShownMessage {
  messageId: number
  content: string | undefined
  /** Whether the log records it. */
  noted: boolean
}

/** `note` records each sent message on disk before the next one is sent. */
export function createReplyMessages(
  sender: TelegramSender,
  chat: ChatReference,
  note: (part: SentPart) => Promise<void>,
): ReplyMessages {
  /** Index n is part n + 1. */
  const shown: (ShownMessage | undefined)[] = []

  async function send(index: number, part: FormattedText): Promise<void> {
    const messageId = await sender.send(chat, part)
    shown[index] = { messageId, content: contentKey(part), noted: false }
    await noteDown(index, shown[index])
  }

  async function noteDown(index: number, there: ShownMessage): Promise<void> {
    await note({ part: index + 1, messageId: String(there.messageId) })
    there.noted = true
  }

  async function change(index: number, part: FormattedText, droppable: boolean): Promise<void> {
    const there = shown[index]!
    // The log could not be written when the message was sent.
    if (!there.noted) await noteDown(index, there)
    if (there.content === contentKey(part)) return
    const outcome = await sender.edit(chat, there.messageId, part, { droppable })
    if (outcome === 'gone' && !droppable) return send(index, part)
    if (outcome === 'edited' || outcome === 'same') there.content = contentKey(part)
  }

  async function show(parts: readonly FormattedText[], droppable: boolean): Promise<void> {
    for (const [index, part] of parts.entries()) {
      if (shown[index]) await change(index, part, droppable)
      else await send(index, part)
    }
  }

  return {
    grow: (parts) => show(parts, true),
    async finish(parts) {
      await show(parts, false)
      for (let index = shown.length - 1; index >= parts.length; index -= 1) {
        const left = shown[index]
        if (left) await sender.remove(chat, left.messageId)
        shown.length = index
      }
    },
    adopt(sent) {
      for (const { part, messageId } of sent) {
        const id = Number(messageId)
        if (Number.isSafeInteger(id)) shown[part - 1] ??= { messageId: id, content: undefined, noted: true }
      }
    },
    get sent() {
      return shown.flatMap((there, index) => (there ? [{ part: index + 1, messageId: String(there.messageId) }] : []))
    },
  }
}

function contentKey(part: FormattedText): string {
  return JSON.stringify([part.text, part.entities])
}
