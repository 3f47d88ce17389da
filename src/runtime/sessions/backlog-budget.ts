import type { SessionEvent } from '../../capability.ts'

/** What all readers together may lag behind. Readers of a fast answer share its events, so this is the most it can be. Characters. */
const MOST_IN_ALL = 64 * 1024 * 1024

/** Bounds what is kept for slow readers in all: where it is too much, the slowest is let go. */
export interface BacklogBudget {
  /** `letGo` ends the reader: it can come back and go on from the last event it saw. */
  join(letGo: () => void): BacklogShare
}

/** What is kept for one reader, characters. */
export interface BacklogShare {
  /** More is kept, or less. */
  add(characters: number): void
  /** All of it was taken, or is kept no more. */
  clear(): void
}

/** A budget that nobody has joined. */
export function createBacklogBudget(most = MOST_IN_ALL): BacklogBudget {
  const readers = new Map<() => void, number>()
  let all = 0
  return {
    join(letGo) {
      const clear = () => {
        all -= readers.get(letGo) ?? 0
        readers.delete(letGo)
      }
      return {
        clear,
        add(characters) {
          all += characters
          readers.set(letGo, (readers.get(letGo) ?? 0) + characters)
          if (all > most) slowestOf(readers)?.()
        },
      }
    },
  }
}

function slowestOf(readers: ReadonlyMap<() => void, number>): (() => void) | undefined {
  let slowest: (() => void) | undefined
  for (const [letGo, held] of readers) {
    if (slowest === undefined || held > readers.get(slowest)!) slowest = letGo
  }
  return slowest
}

/** An event that holds few words still takes room. */
const LEAST_EVENT = 200

/** About how much room an event takes, characters. */
export function eventSize(event: SessionEvent): number {
  return LEAST_EVENT + ('text' in event ? event.text.length : event.type === 'entry' ? wordsIn(event.entry) : 0)
}

/** The characters of all texts in a value. */
function wordsIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let sum = 0
  for (const inner of Object.values(value)) sum += wordsIn(inner)
  return sum
}
