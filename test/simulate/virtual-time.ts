import { type Clock, clockOf } from '../../src/platform.ts'

/** Whose event it is: the world is 0, the processes of the gateway are 1, 2, 3 … What a process waits for ends with it. */
export type Owner = number

interface Event {
  readonly due: number
  /** Of two events at the same moment the one that was scheduled first comes first. */
  readonly order: number
  readonly owner: Owner
  readonly work: () => void
}

export type VirtualTime = ReturnType<typeof virtualTime>

/**
 * Time that passes only from one event to the next. Everything that a real process waits for is an event: timers, other work that is
 * ready, the disk, the network. Between two events all promises settle.
 */
export function virtualTime(start: string) {
  const began = Date.parse(start)
  /** Sorted: the next one is the last. */
  const events: Event[] = []
  const counts = new Map<string, number>()
  let passed = 0
  let scheduled = 0
  let happened = 0
  let marked = 0
  let awaited: { readonly count: number; readonly marks?: number; readonly resolve: () => void } | undefined

  function at(milliseconds: number, owner: Owner, work: () => void): () => void {
    const event = { due: passed + Math.max(0, milliseconds), order: (scheduled += 1), owner, work }
    let low = 0
    for (let high = events.length; low < high;) {
      const middle = (low + high) >>> 1
      const other = events[middle]!
      if (other.due > event.due || (other.due === event.due && other.order > event.order)) low = middle + 1
      else high = middle
    }
    events.splice(low, 0, event)
    return () => {
      const index = events.indexOf(event)
      if (index !== -1) events.splice(index, 1)
    }
  }

  return {
    at,
    now: () => began + passed,
    /** ms since the beginning of the story. */
    passed: () => passed,
    happened: () => happened,
    /** The clock of one process. Ids are counted over all processes, so that none is used twice. */
    clock(owner: Owner): Clock {
      return clockOf({
        now: () => Math.floor(began + passed),
        monotonic: () => passed,
        newId(kind) {
          const count = (counts.get(kind) ?? 0) + 1
          counts.set(kind, count)
          return `${kind}_${count}`
        },
        timer: (milliseconds, work) => at(milliseconds, owner, work),
        soon: (work) => void at(0, owner, work),
      })
    },
    /** Resolves after so many ms for somebody who is no process. */
    sleep: (milliseconds: number) => new Promise<void>((resolve) => at(milliseconds, 0, resolve)),
    /** Something has happened that cannot be taken back: somebody was told of it, or it left. */
    mark() {
      marked += 1
      if (awaited?.marks === marked) awaited = { count: happened + awaited.count, resolve: awaited.resolve }
    },
    /** Resolves so many events after the next so many marks; without marks after so many events from now. */
    afterEvents: (count: number, marks = 0) =>
      new Promise<void>((resolve) => {
        awaited = marks === 0 ? { count: happened + count, resolve } : { count, marks: marked + marks, resolve }
      }),
    /** Nothing that the process waited for happens any more. */
    drop(owner: Owner) {
      for (let index = events.length - 1; index >= 0; index -= 1) {
        if (events[index]!.owner === owner) events.splice(index, 1)
      }
    },
    /** Lets events happen until `story` settles. Rejects where it waits for something that never happens, and at `latest` (ms). */
    async run<Result>(story: Promise<Result>, latest: number): Promise<Result> {
      let isOver = false
      const over = () => (isOver = true)
      story.then(over, over)
      for (;;) {
        // Every promise settles before the loop goes on: the event loop of Node empties its queue of promises first.
        do await new Promise<void>((resolve) => void setRealImmediate(resolve))
        while (loadsModules())
        if (isOver) return story
        const next = events.pop()
        if (next === undefined) throw new Error('Everything waits, and nothing is left that could happen.')
        passed = Math.max(passed, next.due)
        if (passed > latest) throw new Error(`The story is not over after ${Math.round(latest / 3_600_000)} h.`)
        happened += 1
        next.work()
        if (awaited && awaited.marks === undefined && happened >= awaited.count) awaited.resolve()
      }
    },
  }
}

const setRealImmediate = setImmediate

/** What is imported for the first time comes from the real disk, and no time passes meanwhile. */
const loadsModules = () => process.getActiveResourcesInfo().some((name) => /^(?:FSReq|CloseReq)/.test(name))
