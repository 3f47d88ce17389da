import type { StoreConnection } from './connection.ts'

/** Groups writes: one transaction, and one wait for the disk, for all writes of the same tick. */
export interface WriteQueue {
  /**
   * Resolves when the write of `run` is on the disk. Where `run` throws, only this write is undone. `written` is called once
   * the write is on the disk: in the order of the writes, and before any of their promises resolves.
   */
  push<Result>(run: () => Result, options?: QueuedWriteOptions<Result>): Promise<Result>
  /** Runs all waiting writes now. */
  flush(): void
}

/** What the queue needs to know about a write. */
export interface QueuedWriteOptions<Result> {
  readonly written?: (result: Result) => void
  /** About how much it writes. Two large writes are never grouped, so that other work can run between them. */
  readonly characters?: number
}

interface Job {
  readonly run: () => unknown
  readonly isLarge: boolean
  readonly written: ((result: never) => void) | undefined
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

type Attempt = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: unknown }

/** By then the promises of a large write have resolved. */
const UNTIL_MOVED_MS = 100

/** Characters. A write of a megabyte takes some milliseconds. */
const LARGE = 1_000_000

/** Creates the write queue of a connection. */
export function createWriteQueue(connection: StoreConnection): WriteQueue {
  let waiting: Job[] = []
  return {
    push(run, { characters = 0, written } = {}) {
      return new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(writeNext)
        waiting.push({ run, isLarge: characters >= LARGE, written, resolve, reject })
      })
    },
    flush() {
      while (waiting.length > 0) write()
    },
  }

  function writeNext(): void {
    write()
    if (waiting.length > 0) setImmediate(writeNext)
  }

  function write(): void {
    const large = waiting.findIndex(({ isLarge }) => isLarge)
    const next = large === -1 ? -1 : waiting.findIndex(({ isLarge }, index) => isLarge && index > large)
    const jobs = next === -1 ? waiting : waiting.slice(0, next)
    waiting = waiting.slice(jobs.length)
    if (large !== -1) settleLarge(connection, jobs)
    else if (jobs.length > 0) settle(connection, jobs)
  }
}

/** Moving the pages of a large write from the log into the file takes as long again, so it happens later. */
function settleLarge(connection: StoreConnection, jobs: readonly Job[]): void {
  try {
    connection.movesPages(false)
  } catch (error) {
    for (const job of jobs) job.reject(error)
    return
  }
  settle(connection, jobs)
  setTimeout(() => {
    try {
      connection.movesPages(true)
      connection.movePages()
    } catch {
      // Closed meanwhile, or busy: the next write or the close moves them.
    }
  }, UNTIL_MOVED_MS).unref()
}

/**
 * Where the whole transaction fails, for example because the disk is full, one large write may be the cause: each is then
 * tried alone. Where it could not even begin, another attempt would only cost time.
 */
function settle(connection: StoreConnection, jobs: readonly Job[]): void {
  let begun = false
  let attempts: readonly Attempt[]
  try {
    attempts = connection.transaction(() => {
      begun = true
      return jobs.map((job) => attempt(connection, job))
    })
  } catch (error) {
    if (begun && jobs.length > 1) for (const job of jobs) settle(connection, [job])
    else for (const job of jobs) job.reject(error)
    return
  }
  for (const [index, { resolve, reject }] of jobs.entries()) {
    const outcome = attempts[index]!
    if (outcome.ok) resolve(outcome.result as never)
    else reject(outcome.error)
  }
  // Code that awaits one of the promises continues only after this function returns.
  for (const [index, { written }] of jobs.entries()) {
    const outcome = attempts[index]!
    if (outcome.ok) written?.(outcome.result as never)
  }
}

function attempt(connection: StoreConnection, job: Job): Attempt {
  try {
    return { ok: true, result: connection.nested(job.run) }
  } catch (error) {
    if (!connection.inTransaction) throw error
    return { ok: false, error }
  }
}
