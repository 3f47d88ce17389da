import { createHash } from 'node:crypto'
import type { SqliteValue } from '../../platform.ts'
import { get, insertRows, type Query, run, type Sql, tuples } from '../tables/sql.ts'
import type { StoredTable } from '../tables/stored-tables.ts'

export type StoredRow = readonly SqliteValue[]

const PAGE_ROWS = 500
/** Bytes of texts that are read at once, unless a single row has more. */
const PAGE_BYTES = 2_000_000
/** Rows of one statement that writes. */
const ROWS_AT_ONCE = [50, 1] as const

/** The rows of a table after `after`, in the order of the key: a page that memory has room for. Empty at the end. */
export function* readRows(table: StoredTable, after: StoredRow | undefined): Sql<readonly StoredRow[]> {
  const { name, columns } = table
  const key = columns.slice(0, table.key)
  const given = after?.slice(0, table.key) ?? []
  const from = after === undefined ? '' : `where (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`
  const page = (selected: string): Query<StoredRow> => ({
    sql: `select ${selected} from ${name} ${from} order by ${key.join(', ')} limit ?`,
  })
  let most = PAGE_ROWS
  if (table.long.length > 0) {
    const bytes = table.long.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')
    const sizes = yield* tuples(page(bytes), [...given, PAGE_ROWS])
    let sum = 0
    const fitting = sizes.findIndex(([size]) => (sum += Number(size)) > PAGE_BYTES)
    most = fitting === -1 ? PAGE_ROWS : Math.max(1, fitting)
  }
  return yield* tuples(page(columns.join(', ')), [...given, most])
}

export function* countRows({ name }: StoredTable): Sql<number> {
  const count: Query<{ readonly rows: number }> = { sql: `select count(*) as rows from ${name}` }
  return (yield* get(count, []))!.rows
}

/** Writes rows. `derived` gives columns that only the written database has, by the row. */
export function* writeRows(table: StoredTable, rows: readonly StoredRow[], derived: DerivedColumns = {}): Sql<void> {
  const own = derived[table.name]
  const columns = own === undefined ? table.columns : [...table.columns, own.column]
  const whole = own === undefined ? rows : rows.map((row) => [...row, own.value(row)])
  let at = 0
  for (const size of ROWS_AT_ONCE) {
    const sql = insertRows(table.name, columns, size)
    for (; at + size <= whole.length; at += size) yield* run({ sql }, whole.slice(at, at + size).flat())
  }
}

/** By the name of the table. */
export type DerivedColumns = Readonly<
  Record<string, { readonly column: string; readonly value: (row: StoredRow) => SqliteValue }>
>

const BITS = (1n << 256n) - 1n

/** What rows add up to, in any order: two tables with the same rows have the same number and the same digest. */
export function rowSum() {
  let rows = 0
  let sum = 0n
  return {
    add(row: StoredRow): void {
      rows += 1
      sum = (sum + BigInt(`0x${createHash('sha256').update(JSON.stringify(row)).digest('hex')}`)) & BITS
    },
    get rows() {
      return rows
    },
    digest: () => sum.toString(16).padStart(64, '0'),
  }
}
