import type { SqliteValue } from '../../platform.ts'

/** A statement with named parameters: its text, and the names in the order of the text. */
export interface Statement<Parameters, Row> {
  readonly sql: string
  readonly names: readonly (keyof Parameters & string)[]
  /** Never present: it carries the type of a row. */
  readonly row?: Row
}

/** A statement whose text names its parameters, such as `:turn`. They are given at each run. */
export function statement<Parameters, Row = never>(text: string): Statement<Parameters, Row> {
  const named = /:([a-z]\w*)/gi
  const names = Array.from(text.matchAll(named), ([, name]) => name as keyof Parameters & string)
  return { sql: text.replace(named, '?'), names }
}

/** Inserts a row whose parameters have the names of their columns. */
export function insertInto(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map((column) => `:${column}`).join(', ')})`
}

/** The conditions of a query, such as `turn = ?`, with their values. Those whose value is `undefined` are left out. */
export function where(conditions: Readonly<Record<string, SqliteValue | undefined>>): {
  readonly where: string
  readonly values: readonly SqliteValue[]
} {
  const given = Object.entries(conditions).filter(([, value]) => value !== undefined)
  return {
    where: given.length === 0 ? '' : `where ${given.map(([condition]) => condition).join(' and ')}`,
    values: given.map(([, value]) => value!),
  }
}

/** The range of the ids that begin with a text, compared by code points: an index on the id finds them. */
export function idRange(beginning: string) {
  // No id contains the last code point.
  return { from: beginning, below: `${beginning}\u{10FFFF}` }
}
