import type { Connection } from './connection.ts'

/** Puts writes on the disk together: one transaction, and one wait for the disk, for all that came in the same tick. */
export interface WriteQueue {
  /** Resolves when what `run` wrote is on the disk. A throw of `run` undoes only this write. */
  push<Result>(run: () => Result): Promise<Result>
  /** Writes what waits, now. */
  flush(): void
}

interface Job {
  readonly run: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

type Attempt = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: unknown }

export function createWriteQueue(connection: Connection): WriteQueue {
  let waiting: Job[] = []
  return { push, flush }

  function push<Result>(run: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ run, resolve, reject })
    })
  }

  function flush(): void {
    const jobs = waiting
    waiting = []
    if (jobs.length > 0) settle(connection, jobs)
  }
}

/**
 * When the transaction as a whole fails, because the disk is full say, one large write may be the cause: each is then
 * tried alone. When it could not even begin, trying again would only keep everybody waiting.
 */
function settle(connection: Connection, jobs: readonly Job[]): void {
  let begun = false
  try {
    const attempts = connection.transaction(() => {
      begun = true
      return jobs.map((job) => attempt(connection, job))
    })
    attempts.forEach((outcome, index) => answer(jobs[index]!, outcome))
  } catch (error) {
    if (begun && jobs.length > 1) for (const job of jobs) settle(connection, [job])
    else for (const job of jobs) job.reject(error)
  }
}

function attempt(connection: Connection, job: Job): Attempt {
  try {
    return { ok: true, result: connection.nested(job.run) }
  } catch (error) {
    if (!connection.inTransaction) throw error
    return { ok: false, error }
  }
}

function answer(job: Job, outcome: Attempt): void {
  if (outcome.ok) job.resolve(outcome.result as never)
  else job.reject(outcome.error)
}
