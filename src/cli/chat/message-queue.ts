export type MessageQueue = ReturnType<typeof createMessageQueue>

export function createMessageQueue() {
  const texts: string[] = []
  let held = false
  let ended = false
  let wake: () => void = () => {}

  return {
    add(text: string) {
      texts.push(text)
      held = false
      wake()
    },
    /** Waits for the next message that is not held. `undefined` when the chat is over. */
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
    /** Holds the messages until `release`: after a stopped turn they may no longer make sense. */
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
