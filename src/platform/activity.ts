import type { Clock } from './clock.ts'

/** Counts the work that is under way, by what it is about, so that somebody can wait until there is none. */
export type Activity = ReturnType<typeof createActivity>

export function createActivity() {
  const counts = new Map<string | undefined, number>()
  let change: PromiseWithResolvers<void> | undefined

  function add(about: string | undefined, more: 1 | -1): void {
    const count = (counts.get(about) ?? 0) + more
    if (count === 0) counts.delete(about)
    else counts.set(about, count)
    if (count > 0) return
    change?.resolve()
    change = undefined
  }

  function begin(about?: string): () => void {
    add(about, 1)
    return () => add(about, -1)
  }

  return {
    /** Counts until the function that it returns is called. */
    begin,
    /** Counts `work` until it settles. */
    run: <Value>(about: string | undefined, work: Promise<Value>) => settled(work, begin(about)),
    /** Takes a part of `run` that waits for a person or for a time out of the count until it goes on. */
    rest<Value>(about: string | undefined, wait: Promise<Value>) {
      add(about, -1)
      return settled(wait, () => add(about, 1))
    },
    /** Resolves when something has ended that was waited for; look again then. `undefined`: nothing is under way. */
    idle(about?: string) {
      const busy = about === undefined ? [...counts.values()].some((count) => count > 0) : (counts.get(about) ?? 0) > 0
      if (busy) return (change ??= Promise.withResolvers()).promise
    },
  }
}

/** A clock for counted work: what sleeps by it has nothing to do meanwhile. */
export function restingClock(clock: Clock, activity: Activity, about?: string): Clock {
  return { ...clock, sleep: (...wait) => activity.rest(about, clock.sleep(...wait)) }
}

/** Calls `then` before anyone who waits for `work` goes on, and without a delay for them. */
function settled<Value>(work: Promise<Value>, then: () => void): Promise<Value> {
  work.then(then, then)
  return work
}
