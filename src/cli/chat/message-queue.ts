export interface MessageQueue {
  readonly add: (text: string) => void
  /** Waits for the next message that is not held. `undefined` when the chat is over. */
  readonly next: () => Promise<string | undefined>
  /** Removes and returns the newest message. */
  readonly takeBack: () => string | undefined
  readonly waiting: () => readonly string[]
  /** Holds the messages until `release`: after a stopped turn they may no longer make sense. */
  readonly hold: () => void
  readonly release: () => void
  readonly held: () => boolean
  readonly end: () => void
}

export function createMessageQueue(): MessageQueue {
  const texts: string[] = []
  let held = false
  let ended = false
  let wake: () => void = () => {}

  return {
    add(text) {
      texts.push(text)
      held = false
      wake()
    },
    async next() {
      for (;;) {
        if (ended) return undefined
        if (texts.length > 0 && !held) return texts.shift()
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    takeBack() {
      const text = texts.pop()
      held &&= texts.length > 0
      return text
    },
    waiting: () => texts,
    hold() {
      held = texts.length > 0
    },
    release() {
      held = false
      wake()
    },
    held: () => held,
    end() {
      ended = true
      wake()
    },
  }
}
