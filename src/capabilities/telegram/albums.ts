import type { MessageGroup, ParsedMessage } from './parsed-update.ts'
import { type Sleep, telegramTimes } from './timing.ts'

/** Collects the messages of an album, which arrive one by one, until no more arrive. */
export function createAlbums(sleep: Sleep, signal: AbortSignal) {
  const open = new Map<string, [ParsedMessage, ...ParsedMessage[]]>()

  async function collect(key: string, first: ParsedMessage): Promise<MessageGroup | undefined> {
    const messages: [ParsedMessage, ...ParsedMessage[]] = [first]
    open.set(key, messages)
    for (let known = 0; known < messages.length && !signal.aborted;) {
      known = messages.length
      await sleep(telegramTimes.album, signal)
    }
    open.delete(key)
    if (signal.aborted) return undefined
    const [oldest, ...others] = messages.toSorted((one, other) => one.update - other.update)
    return [oldest!, ...others]
  }

  return {
    /** In the order sent. `undefined` for later messages of an album (they belong to its first) and when aborted. */
    group(message: ParsedMessage): Promise<MessageGroup | undefined> | undefined {
      if (message.album === undefined) return Promise.resolve([message])
      const key = `${message.chat.id} ${message.album}`
      const others = open.get(key)
      if (!others) return collect(key, message)
      others.push(message)
      return undefined
    },
  }
}
