import type { ParsedMessage } from './parsed-update.ts'
import type { Sleep } from './telegram-options.ts'

/** Messages of an album come one by one: they are gathered until no more of them come. */
export interface Albums {
  /**
   * What belongs together with a message, in the order in which it was sent, once it is there. `undefined` for the later
   * messages of an album: the first one answers for them.
   */
  whole(message: ParsedMessage): Promise<Together | undefined> | undefined
}

/** Messages that are one. */
export type Together = readonly [ParsedMessage, ...ParsedMessage[]]

/** An album that is waited for when `signal` is aborted resolves to `undefined`. */
export function createAlbums(waitMs: number, sleep: Sleep, signal: AbortSignal): Albums {
  const open = new Map<string, [ParsedMessage, ...ParsedMessage[]]>()

  async function gather(key: string, first: ParsedMessage): Promise<Together | undefined> {
    const messages: [ParsedMessage, ...ParsedMessage[]] = [first]
    open.set(key, messages)
    for (let known = 0; known < messages.length && !signal.aborted;) {
      known = messages.length
      await sleep(waitMs, signal)
    }
    open.delete(key)
    return signal.aborted ? undefined : inOrder(messages)
  }

  return {
    whole(message) {
      if (message.album === undefined) return Promise.resolve([message])
      const key = `${message.place.chat} ${message.album}`
      const others = open.get(key)
      if (!others) return gather(key, message)
      others.push(message)
      return undefined
    },
  }
}

function inOrder(messages: Together): Together {
  const [first, ...others] = messages.toSorted((one, other) => one.update - other.update)
  return [first!, ...others]
}
