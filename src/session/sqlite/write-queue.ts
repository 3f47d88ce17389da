import { StoreError } from '../store-error.ts'
import type { QueuedWriteOptions } from '../tables/create-store.ts'
import type { Sql } from '../tables/sql.ts'
import type { StoreConnection } from './connection.ts'

interface Job {
  readonly run: () => Sql<unknown>
  readonly isLarge: boolean
  readonly written: ((result: never) => void) | undefined
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/** By then the promises of a large write have resolved. */
const UNTIL_MOVED_MS = 100

/** Characters. A write of a megabyte takes some milliseconds. */
const LARGE = 1_000_000

type Refuse = (jobs: readonly Job[], error: unknown) => void

interface Group {
  readonly jobs: readonly Job[]
  /** What each of them returned. */
  readonly results: readonly unknown[]
}

/**
 * Creates the write queue of a connection. It groups writes: one transaction for all writes of the same tick, and one wait for the
 * disk for all transactions since the last one began. Other work goes on while the disk is waited for.
 */
export function createWriteQueue(connection: StoreConnection) {
  let waiting: Job[] = []
  let committed: Group[] = []
  let syncing: Promise<void> | undefined
  /** The disk did not take what was written. What it has of it nobody knows, so nothing more is written. */
  let fault: { readonly error: unknown } | undefined
  const failed = Promise.withResolvers<unknown>()

  return {
    /** Resolves with the fault after which nothing more is written. */
    failed: failed.promise,
    /**
     * Resolves when the write of `run` is on the disk. Where `run` throws, only this write is undone. `written` is called once
     * the write is on the disk: in the order of the writes, and before any of their promises resolves.
     */
    push<Result>(run: () => Sql<Result>, { characters = 0, written }: QueuedWriteOptions<Result> = {}) {
      return new Promise<Result>((resolve, reject) => {
        if (fault) return reject(fault.error)
        if (waiting.length === 0) connection.clock.soon(writeNext)
        waiting.push({ run, isLarge: characters >= LARGE, written, resolve, reject })
      })
    },
    /** Resolves when what was written so far, and can be read, is on the disk. Rejects where that failed. */
    async onDisk() {
      await syncing
      if (fault) throw fault.error
    },
    /** Runs all waiting writes now. Resolves when they are on the disk, or were rejected; `undefined`: there are none. */
    idle() {
      while (waiting.length > 0) write()
      return syncing
    },
  }

  function writeNext(): void {
    write()
    if (waiting.length > 0) connection.clock.soon(writeNext)
  }

  function write(): void {
    const large = waiting.findIndex(({ isLarge }) => isLarge)
    const next = large === -1 ? -1 : waiting.findIndex(({ isLarge }, index) => isLarge && index > large)
    const jobs = next === -1 ? waiting : waiting.slice(0, next)
    waiting = waiting.slice(jobs.length)
    if (jobs.length === 0) return
    if (fault) return refuse(jobs, fault.error)
    committed.push(...(large === -1 ? commit(connection, jobs, refuse) : commitLarge(connection, jobs, refuse)))
    syncing ??= waitForDisk().finally(() => (syncing = undefined))
  }

  async function waitForDisk(): Promise<void> {
    while (committed.length > 0) {
      const groups = committed
      committed = []
      try {
        if (!fault) await connection.sync()
      } catch (error) {
        fail(error)
      }
      for (const { jobs, results } of groups) {
        if (fault) {
          refuse(jobs, fault.error)
          continue
        }
        for (const [index, { resolve }] of jobs.entries()) resolve(results[index] as never)
        // Code that awaits one of the promises continues only after this loop.
        for (const [index, { written }] of jobs.entries()) written?.(results[index] as never)
      }
    }
  }

  function fail(error: unknown): void {
    fault ??= { error }
    failed.resolve(error)
  }

  function refuse(jobs: readonly Job[], error: unknown): void {
    if (error instanceof StoreError && error.code === 'not-synced') fail(error)
    for (const { reject } of jobs) reject(error)
  }
}

/** Moving the pages of a large write from the log into the file takes as long again, so it happens later. */
function commitLarge(connection: StoreConnection, jobs: readonly Job[], refuse: Refuse): readonly Group[] {
  try {
    connection.writesMuch(true)
  } catch (error) {
    refuse(jobs, error)
    return []
  }
  const groups = commit(connection, jobs, refuse)
  const movePages = () => {
    try {
      connection.writesMuch(false)
      connection.movePages()
    } catch {
      // Closed meanwhile, or busy: the next write or the close moves them.
    }
  }
  connection.clock.timer(UNTIL_MOVED_MS, movePages, { idle: true })
  return groups
}

/**
 * Where a write of a group fails, each is tried alone: it may be the only one that contradicts the store, or that there is no room
 * for. Where the transaction could not even begin, another attempt would only cost time.
 */
function commit(connection: StoreConnection, jobs: readonly Job[], refuse: Refuse): readonly Group[] {
  let begun = false
  try {
    const results = connection.transaction(() => {
      begun = true
      return jobs.map(({ run }) => connection.work(run()))
    })
    return [{ jobs, results }]
  } catch (error) {
    if (begun && jobs.length > 1) return jobs.flatMap((job) => commit(connection, [job], refuse))
    refuse(jobs, error)
    return []
  }
}
