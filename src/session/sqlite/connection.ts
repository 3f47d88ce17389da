import { type Clock, openSqlite, type SqliteConnection, type SqliteValue } from '../../platform.ts'
import type { Statement } from './statement.ts'
import { storeFile } from '../store-error.ts'

/** One open store. All but `sync` is synchronous, so nothing comes between the statements of a transaction. */
export interface StoreConnection extends Pick<
  SqliteConnection,
  'path' | 'readOnly' | 'execute' | 'transaction' | 'sync' | 'close'
> {
  readonly clock: Clock
  run<Parameters>(statement: Statement<Parameters, unknown>, parameters: Parameters): number
  get<Parameters, Row>(statement: Statement<Parameters, Row>, parameters: Parameters): Row | undefined
  all<Parameters, Row>(statement: Statement<Parameters, Row>, parameters: Parameters): readonly Row[]
  /** Rows as arrays, in the order of the columns: a third of the time where there are many. */
  tuples<Parameters, Row extends readonly unknown[]>(
    statement: Statement<Parameters, Row>,
    parameters: Parameters,
  ): readonly Row[]
  /** Rows of a query that is put together for this call. */
  readonly query: SqliteConnection['all']
  readonly queryTuples: SqliteConnection['tuples']
  /**
   * While a large write is made, its pages go into the write-ahead log at once and stay there: memory for all of them, and the way
   * into the file, each take as long as the write itself.
   */
  writesMuch(does: boolean): void
  /** Moves the pages that no reader needs from the log into the file now. */
  movePages(): void
  /** What `remove` deletes is overwritten in the file, not only given free. */
  overwriting<Result>(remove: () => Result): Result
}

/** How a store in an SQLite file is opened. */
export interface SqliteStoreOptions {
  /** A file, created with its folder when missing; `:memory:` keeps everything in memory. */
  readonly path: string
  readonly clock: Clock
  readonly readOnly?: boolean
  readonly maxBytes?: number
  /** How long to wait for another process, ms. This process is blocked meanwhile. */
  readonly busyTimeoutMs?: number
}

const PAGE_BYTES = 4_096
/** Pages of the write-ahead log before it is moved into the file: the default of SQLite. */
const LOG_PAGES = 1_000
/** Pages in memory: of a large write, and otherwise. */
const FEW_PAGES = 500
const MANY_PAGES = 8_192

/** @throws StoreError */
export function openStoreConnection(options: SqliteStoreOptions): StoreConnection {
  const { path, clock, readOnly, maxBytes, busyTimeoutMs } = options
  const limit = maxBytes === undefined ? '' : `pragma max_page_count = ${Math.floor(maxBytes / PAGE_BYTES)};`
  const database = openSqlite({
    path,
    readOnly,
    busyTimeoutMs,
    kind: storeFile,
    durable: 'on-sync',
    settings: `pragma foreign_keys = on; ${limit}`,
  })
  const { execute, transaction, sync, close } = database
  return {
    path,
    clock,
    readOnly: database.readOnly,
    run: (statement, parameters) => database.change(statement.sql, ...valuesOf(statement, parameters)),
    get: (statement, parameters) => database.get(statement.sql, ...valuesOf(statement, parameters)),
    all: (statement, parameters) => database.all(statement.sql, ...valuesOf(statement, parameters)),
    tuples: (statement, parameters) => database.tuples(statement.sql, ...valuesOf(statement, parameters)),
    query: database.all,
    queryTuples: database.tuples,
    execute,
    transaction,
    sync,
    writesMuch(does) {
      execute(
        `pragma wal_autocheckpoint = ${does ? 0 : LOG_PAGES}; pragma cache_size = ${does ? FEW_PAGES : MANY_PAGES}`,
      )
    },
    movePages: () => execute('pragma wal_checkpoint(passive)'),
    overwriting(remove) {
      execute('pragma secure_delete = on')
      try {
        return remove()
      } finally {
        execute('pragma secure_delete = off')
      }
    },
    close,
  }
}

function valuesOf<Parameters>({ sql, names }: Statement<Parameters, unknown>, parameters: Parameters): SqliteValue[] {
  return names.map((name) => {
    const value = parameters[name]
    if (value === undefined) throw new TypeError(`The parameter ${name} is missing: ${sql}`)
    return value as SqliteValue
  })
}
