import type { Clock, SqliteValue } from '../../platform.ts'

/** A statement with its parameters: its text, and the names of the parameters in the order of the text. */
export interface Statement<Parameters, Row> {
  /** With `?` in the place of each parameter. */
  readonly sql: string
  /** Absent where the parameters are a list of values. */
  readonly names?: readonly (keyof Parameters & string)[]
  /** As PostgreSQL has it, where that differs. */
  readonly postgres?: Statement<Parameters, Row>
  /** Never present: it carries the type of a row. */
  readonly row?: Row
}

/** A statement whose text names its parameters, such as `:turn`. They are given at each run. `postgres` is its text there, if another. */
export function statement<Parameters, Row = never>(text: string, postgres?: string): Statement<Parameters, Row> {
  const named = /:([a-z]\w*)/gi
  const names = Array.from(text.matchAll(named), ([, name]) => name as keyof Parameters & string)
  const sql = text.replace(named, '?')
  return postgres === undefined ? { sql, names } : { sql, names, postgres: statement(postgres) }
}

/** A statement that is put together for one call, with `?` in the place of each value. */
export type Query<Row> = Statement<readonly SqliteValue[], Row>

/** Inserts a row whose parameters have the names of their columns. */
export function insertInto(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map((column) => `:${column}`).join(', ')})`
}

/** Inserts so many rows at once, with `?` in the place of each value. */
export function insertRows(table: string, columns: readonly string[], rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`
  return `insert into ${table} (${columns.join(', ')}) values ${Array.from({ length: rows }, () => row).join(', ')}`
}

/**
 * The conditions of a query, such as `turn = ?`, with their values: one, or a list where a condition has several. Those whose value is
 * `undefined` are left out.
 */
export function where(conditions: Readonly<Record<string, SqliteValue | readonly SqliteValue[] | undefined>>): {
  readonly where: string
  readonly values: readonly SqliteValue[]
} {
  const given = Object.entries(conditions).filter(([, value]) => value !== undefined)
  return {
    where: given.length === 0 ? '' : `where ${given.map(([condition]) => condition).join(' and ')}`,
    values: given.flatMap(([, value]) => value as SqliteValue | SqliteValue[]),
  }
}

/** The range of the ids that begin with a text, compared by code points: an index on the id finds them. */
export function idRange(beginning: string) {
  // No id contains the last code point.
  return { from: beginning, below: `${beginning}\u{10FFFF}` }
}

/**
 * Work on the tables of a store: a generator that yields statements, is given what the database answers, and returns what it found. A
 * database that answers at once runs it to its end without a break; one across a network awaits each answer. A statement that fails
 * throws where it was yielded.
 */
export type Sql<Result> = Generator<SqlStep, Result, unknown>

/** What a database is asked to do next. No generator function is made for a call: its first run costs as much as a statement. */
export type SqlStep =
  | {
      /**
       * The answer: the number of changed rows, none, the first row, all rows as objects, or as arrays in the order of the columns. What
       * is sent may be run later, and where it fails the next statement or the end of the work does.
       */
      readonly type: 'run' | 'send' | 'get' | 'all' | 'tuples'
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

/** Runs a statement. Returns how many rows it changed. `unread`: nobody waits for that; in a transaction. */
export function* run<Parameters extends object>(
  query: Statement<Parameters, unknown>,
  parameters: Parameters,
  answer: 'read' | 'unread' = 'read',
): Sql<number> {
  return (yield { type: answer === 'read' ? 'run' : 'send', statement: query, parameters }) as number
}

export function* get<Parameters extends object, Row>(
  query: Statement<Parameters, Row>,
  parameters: Parameters,
): Sql<Row | undefined> {
  return (yield { type: 'get', statement: query, parameters }) as Row | undefined
}

export function* all<Parameters extends object, Row>(
  query: Statement<Parameters, Row>,
  parameters: Parameters,
): Sql<readonly Row[]> {
  return (yield { type: 'all', statement: query, parameters }) as readonly Row[]
}

/** Rows as arrays, in the order of the columns: a third of the time where there are many. */
export function* tuples<Parameters extends object, Row extends readonly unknown[]>(
  query: Statement<Parameters, Row>,
  parameters: Parameters,
): Sql<readonly Row[]> {
  return (yield { type: 'tuples', statement: query, parameters }) as readonly Row[]
}

/** Keys that one statement asks for. */
const KEYS = 50

/** The rows with these keys, in any order. Each statement has as many, some of them twice, so that there is one text of it. */
export function* allWith<Row>(sql: (list: string) => string, keys: readonly SqliteValue[]): Sql<readonly Row[]> {
  const query: Query<Row> = { sql: sql(`(${Array(KEYS).fill('?').join()})`) }
  const rows: Row[] = []
  for (let at = 0; at < keys.length; at += KEYS) {
    const some = keys.slice(at, at + KEYS)
    rows.push(...(yield* all(query, [...some, ...Array<SqliteValue>(KEYS - some.length).fill(some[0]!)])))
  }
  return rows
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

/** The values of the parameters of a statement, in the order of its text. */
export function valuesOf(step: { readonly statement: Statement<never, unknown>; readonly parameters: object }) {
  const { sql, names } = step.statement
  if (names === undefined) return step.parameters as readonly SqliteValue[]
  return names.map((name) => {
    const value = (step.parameters as Readonly<Record<string, SqliteValue | undefined>>)[name]
    if (value === undefined) throw new TypeError(`The parameter ${name} is missing: ${sql}`)
    return value
  })
}
