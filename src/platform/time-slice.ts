import { setImmediate as others } from 'node:timers/promises'

/** How long one stretch of work keeps everybody else waiting, ms. */
const LONGEST_MS = 10

/** Measures how long this thread has worked without letting anything else run. For work that grows with its input. */
export interface Stretch {
  /** Whether it is time to rest. */
  isOver(): boolean
  /** It has waited, so that everything else could run: a new stretch begins. */
  renew(): void
  /** Lets everything else run that waits; a new stretch begins. */
  rest(): Promise<void>
}

export function stretch(): Stretch {
  let began = performance.now()
  return {
    isOver: () => performance.now() - began > LONGEST_MS,
    renew: () => void (began = performance.now()),
    async rest() {
      await others()
      began = performance.now()
    },
  }
}

/** Takes one thing after the other, and lets everything else run in this process whenever that has taken a while. */
export async function inSlices<Item>(items: Iterable<Item>, take: (item: Item) => void): Promise<void> {
  const work = stretch()
  for (const item of items) {
    // oxlint-disable-next-line no-await-in-loop -- that is what it is for
    if (work.isOver()) await work.rest()
    take(item)
  }
}

/** A text in parts of one length, wherever they end: for readers that go from sign to sign. */
export function* partsOf(text: string, characters: number): Generator<string> {
  for (let at = 0; at < text.length; at += characters) yield text.slice(at, at + characters)
}
