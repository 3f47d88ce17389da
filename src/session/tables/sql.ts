import type { Clock } from '../../platform.ts'
import type { Statement } from './statement.ts'

/**
 * Work on the tables of a store: a generator that yields statements, is given what the database answers, and returns what it found. A
 * database that answers at once runs it to its end without a break; one across a network awaits each answer. A statement that fails
 * throws where it was yielded.
 */
export type Sql<Result> = Generator<SqlStep, Result, unknown>

/** What a database is asked to do next. No generator function is made for a call: its first run costs as much as a statement. */
export type SqlStep =
  | {
      /** The answer: the number of changed rows, the first row, all rows as objects, or as arrays in the order of the columns. */
      readonly type: 'run' | 'get' | 'all' | 'tuples'
      readonly statement: Statement<never, unknown>
      readonly parameters: object
    }
  /** From here on, the bytes of what is deleted are overwritten, or are only given free again. */
  | { readonly type: 'overwrite'; readonly does: boolean }

/** A database, as who reads from it sees it. */
export interface SqlReader {
  /** By which long reads let other work run. */
  readonly clock: Clock
  /**
   * Runs what only reads. `one-state`: nothing that this process writes comes between its statements. `one-snapshot`: nothing that any
   * process writes.
   */
  read<Result>(work: Sql<Result>, sees?: 'one-state' | 'one-snapshot'): Result | Promise<Result>
}

/** Runs a statement. Returns how many rows it changed. */
export function* run<Parameters extends object>(
  statement: Statement<Parameters, unknown>,
  parameters: Parameters,
): Sql<number> {
  return (yield { type: 'run', statement, parameters }) as number
}

export function* get<Parameters extends object, Row>(
  statement: Statement<Parameters, Row>,
  parameters: Parameters,
): Sql<Row | undefined> {
  return (yield { type: 'get', statement, parameters }) as Row | undefined
}

export function* all<Parameters extends object, Row>(
  statement: Statement<Parameters, Row>,
  parameters: Parameters,
): Sql<readonly Row[]> {
  return (yield { type: 'all', statement, parameters }) as readonly Row[]
}

/** Rows as arrays, in the order of the columns: a third of the time where there are many. */
export function* tuples<Parameters extends object, Row extends readonly unknown[]>(
  statement: Statement<Parameters, Row>,
  parameters: Parameters,
): Sql<readonly Row[]> {
  return (yield { type: 'tuples', statement, parameters }) as readonly Row[]
}

/** What `remove` deletes is overwritten in the file, not only given free. */
export function* overwriting<Result>(remove: () => Sql<Result>): Sql<Result> {
  yield { type: 'overwrite', does: true }
  try {
    return yield* remove()
  } finally {
    yield { type: 'overwrite', does: false }
  }
}

/** Does the same work with each row, one after the other. */
export function* forEach<Row, Result>(rows: Iterable<Row>, work: (row: Row) => Sql<Result>): Sql<readonly Result[]> {
  const results: Result[] = []
  for (const row of rows) results.push(yield* work(row))
  return results
}
