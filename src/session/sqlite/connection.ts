import { type Clock, openSqlite, type SqliteConnection, type SqliteValue } from '../../platform.ts'
import { type Sql, type SqlReader, valuesOf } from '../tables/sql.ts'
import { storeFile } from '../store-error.ts'

/** One open store. All but `sync` is synchronous, so nothing comes between the statements of a transaction. */
export interface StoreConnection extends Pick<
  SqliteConnection,
  'path' | 'readOnly' | 'execute' | 'transaction' | 'sync' | 'close'
> {
  readonly clock: Clock
  /** Rows of a query of SQLite alone. */
  readonly query: SqliteConnection['all']
  /** Runs work on the tables to its end, without a break. For `sees`, see `SqlReader`. */
  work<Result>(work: Sql<Result>, sees?: Parameters<SqlReader['read']>[1]): Result
  /**
   * While a large write is made, its pages go into the write-ahead log at once and stay there: memory for all of them, and the way
   * into the file, each take as long as the write itself.
   */
  writesMuch(does: boolean): void
  /** Moves the pages that no reader needs from the log into the file now. */
  movePages(): void
}

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
    query: database.all,
    work,
    execute,
    transaction,
    sync,
    writesMuch(does) {
      execute(
        `pragma wal_autocheckpoint = ${does ? 0 : LOG_PAGES}; pragma cache_size = ${does ? FEW_PAGES : MANY_PAGES}`,
      )
    },
    movePages: () => execute('pragma wal_checkpoint(passive)'),
    close,
  }

  function work<Result>(run: Sql<Result>, sees?: Parameters<SqlReader['read']>[1]): Result {
    if (sees === 'one-snapshot') {
      execute('begin')
      try {
        return work(run)
      } finally {
        execute('rollback')
      }
    }
    return runSql(database, run)
  }
}

/** Runs work on tables to its end, without a break. */
export function runSql<Result>(database: SqliteConnection, run: Sql<Result>): Result {
  let next = run.next()
  while (!next.done) {
    const step = next.value
    let answer: unknown
    try {
      if (step.type === 'overwrite') database.execute(`pragma secure_delete = ${step.does ? 'on' : 'off'}`)
      else {
        const ask: (sql: string, ...values: readonly SqliteValue[]) => unknown =
          database[step.type === 'run' || step.type === 'send' ? 'change' : step.type]
        answer = ask(step.statement.sql, ...valuesOf(step))
      }
    } catch (error) {
      next = run.throw(error)
      continue
    }
    next = run.next(answer)
  }
  return next.value
}
