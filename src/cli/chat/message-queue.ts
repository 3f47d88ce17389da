/** Messages that were written and not yet sent, oldest first. */
export interface MessageQueue {
  readonly add: (text: string) => void
  /** The next one; waits until there is one and it is not held back. `undefined` when the talk is over. */
  readonly next: () => Promise<string | undefined>
  /** Takes the newest one back. */
  readonly takeBack: () => string | undefined
  readonly waiting: () => readonly string[]
  /** Nothing is sent until `release`: a turn was stopped, and what was written behind it may have lost its sense. */
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
