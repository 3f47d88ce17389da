import type { Clock } from './clock.ts'

/** The longest slice, ms: other work waits meanwhile. */
const LONGEST_MS = 10

export type TimeSlice = ReturnType<typeof timeSlice>

/** Measures how long this thread has blocked the event loop. For work that grows with its input. */
export function timeSlice(clock: Clock) {
  let began = clock.monotonic()
  return {
    isOver: (): boolean => clock.monotonic() - began > LONGEST_MS,
    /** Begins a new slice, after the caller has waited by itself. */
    renew: (): void => void (began = clock.monotonic()),
    /** Lets waiting work run, then begins a new slice. */
    async rest(): Promise<void> {
      await clock.yield()
      // What a callback of the network yields for is only what came with it: the network is asked again after that.
      await clock.yield()
      began = clock.monotonic()
    },
  }
}

/** Calls `take` for each item, and lets other work run whenever a slice is used up. */
export async function inSlices<Item>(clock: Clock, items: Iterable<Item>, take: (item: Item) => void): Promise<void> {
  const work = timeSlice(clock)
  for (const item of items) {
    // oxlint-disable-next-line no-await-in-loop -- that is what it is for
    if (work.isOver()) await work.rest()
    take(item)
  }
}

/** Splits a text into parts of this many characters, or one less where a character would be split. */
export function* textChunks(text: string, characters: number): Generator<string> {
  for (let start = 0, end: number; start < text.length; start = end) {
    end = start + characters
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1
    yield text.slice(start, end)
  }
}
