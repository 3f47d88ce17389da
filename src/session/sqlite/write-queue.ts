import type { Connection } from './connection.ts'

/** Puts writes on the disk together: one transaction, and one wait for the disk, for all that came in the same tick. */
export interface WriteQueue {
  /**
   * Resolves when what `run` wrote is on the disk. A throw of `run` undoes only this write. `written` is called once it is
   * there: in the order of the writes, and before anybody sees one of their promises resolve.
   */
  push<Result>(run: () => Result, written?: (result: Result) => void): Promise<Result>
  /** Writes what waits, now. */
  flush(): void
}

interface Job {
  readonly run: () => unknown
  readonly written: ((result: never) => void) | undefined
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

type Attempt = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: unknown }

export function createWriteQueue(connection: Connection): WriteQueue {
  let waiting: Job[] = []
  return { push, flush }

  function push<Result>(run: () => Result, written?: (result: Result) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ run, written, resolve, reject })
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
  attempts.forEach((outcome, index) => answer(jobs[index]!, outcome))
  // Those who await an answer go on only when this function is over.
  attempts.forEach((outcome, index) => tell(jobs[index]!, outcome))
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

function tell(job: Job, outcome: Attempt): void {
  if (outcome.ok) job.written?.(outcome.result as never)
}
