import type { Clock } from '../../platform.ts'
import { StoreError } from '../store-error.ts'
import type { QueuedWriteOptions, StoreQueue } from '../tables/create-store.ts'
import { forEach, type Sql } from '../tables/sql.ts'
import type { Writer } from './writer.ts'

interface Job {
  readonly work: () => Sql<unknown>
  readonly written: ((result: never) => void) | undefined
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * Creates the write queue of a database: one transaction for all writes of the same tick, and for those that came while the one before
 * was written. So the writes are in the order in which they came, and so are the listeners told.
 */
export function createDatabaseQueue(writer: Pick<Writer, 'transaction'>, clock: Clock): StoreQueue {
  let waiting: Job[] = []
  let writing: Promise<void> | undefined
  /** What the database has of a write nobody knows, or another process has it: nothing more is written. */
  let fault: { readonly error: unknown } | undefined
  const failed = Promise.withResolvers<unknown>()

  return {
    failed: failed.promise,
    push<Result>(work: () => Sql<Result>, { written }: QueuedWriteOptions<Result> = {}) {
      return new Promise<Result>((resolve, reject) => {
        if (fault) return reject(fault.error)
        waiting.push({ work, written, resolve, reject })
        writing ??= begin()
      })
    },
    // What can be read was committed, and a commit is on the disk.
    async onDisk() {
      if (fault) throw fault.error
    },
    idle: () => writing,
  }

  async function begin(): Promise<void> {
    const tick = Promise.withResolvers<void>()
    clock.soon(tick.resolve)
    await tick.promise
    while (waiting.length > 0) {
      const jobs = waiting
      waiting = []
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await write(jobs)
    }
    writing = undefined
  }

  /** Where a write of a group fails, each is tried alone. */
  async function write(jobs: readonly Job[], attempt = 1): Promise<void> {
    if (fault) return refuse(jobs, fault.error)
    let results: readonly unknown[]
    try {
      results = await writer.transaction(() => forEach(jobs, ({ work }) => work()))
    } catch (error) {
      if (isDeadlock(error) && attempt < TRIES) return write(jobs, attempt + 1)
      if (jobs.length === 1 || endsStore(error)) return refuse(jobs, error)
      for (const job of jobs) await write([job])
      return
    }
    for (const [index, { resolve }] of jobs.entries()) resolve(results[index] as never)
    // Code that awaits one of the promises continues only after this function returns.
    for (const [index, { written }] of jobs.entries()) written?.(results[index] as never)
  }

  function refuse(jobs: readonly Job[], error: unknown): void {
    if (endsStore(error)) {
      fault ??= { error }
      failed.resolve(error)
    }
    for (const { reject } of jobs) reject(error)
  }
}

/** How often a transaction is tried that waits for another one while that one waits for it: a command writes beside the gateway. */
const TRIES = 10

/** The database has undone the transaction, so that the other one goes on. */
function isDeadlock(error: unknown): boolean {
  return error instanceof StoreError && (error.cause as { readonly code?: string } | undefined)?.code === '40P01'
}

function endsStore(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'not-synced' || error.code === 'taken-over')
}
