import type { SqliteValue } from '../../platform.ts'

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
