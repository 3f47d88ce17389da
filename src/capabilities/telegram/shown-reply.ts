import type { SentPart } from '../../capability.ts'
import type { TelegramPlace, TelegramSender } from './api/sender.ts'
import type { FormattedText } from './text/formatted-text.ts'

/** The messages of a chat that hold one reply. One call at a time. */
export interface ShownReply {
  /** Shows how far the reply is: what differs is changed where that is possible at once, and what is missing is sent. */
  grow(parts: readonly FormattedText[]): Promise<void>
  /** Shows the reply as it is in the end: changes, sends and removes until exactly that stands there. */
  finish(parts: readonly FormattedText[]): Promise<void>
  /** Takes up messages that are known from elsewhere. */
  adopt(sent: readonly SentPart[]): void
  readonly sent: readonly SentPart[]
}

interface Shown {
  messageId: number
  /** What it says; `undefined` where that is not known. */
  says: string | undefined
  /** Whether the log knows of it. */
  noted: boolean
}

/** `note` is called behind every message that is sent: it stands on disk before the next one follows. */
export function shownReply(
  sender: TelegramSender,
  place: TelegramPlace,
  note: (part: SentPart) => Promise<void>,
): ShownReply {
  /** The nth holds part n + 1. A hole is a part of which no message is known. */
  const shown: (Shown | undefined)[] = []

  async function send(index: number, part: FormattedText): Promise<void> {
    const messageId = await sender.send(place, part)
    shown[index] = { messageId, says: wordsOf(part), noted: false }
    await noteDown(index, shown[index])
  }

  async function noteDown(index: number, there: Shown): Promise<void> {
    await note({ part: index + 1, messageId: String(there.messageId) })
    there.noted = true
  }

  async function change(index: number, part: FormattedText, droppable: boolean): Promise<void> {
    const there = shown[index]!
    // The log could not be written when it was sent.
    if (!there.noted) await noteDown(index, there)
    if (there.says === wordsOf(part)) return
    const outcome = await sender.edit(place, there.messageId, part, { droppable })
    if (outcome === 'gone' && !droppable) return send(index, part)
    if (outcome === 'edited' || outcome === 'same') there.says = wordsOf(part)
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
        if (left) await sender.remove(place, left.messageId)
        shown.length = index
      }
    },
    adopt(sent) {
      for (const { part, messageId } of sent) {
        const id = Number(messageId)
        if (Number.isSafeInteger(id)) shown[part - 1] ??= { messageId: id, says: undefined, noted: true }
      }
    },
    get sent() {
      return shown.flatMap((there, index) => (there ? [{ part: index + 1, messageId: String(there.messageId) }] : []))
    },
  }
}

function wordsOf(part: FormattedText): string {
  return JSON.stringify([part.text, part.entities])
}
