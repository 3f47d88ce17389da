import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Compilable } from 'kysely'
import { StoreError } from '../store-error.ts'
import type { Plan, Scalar } from './plan.ts'
import { resultCode, storeError } from './sqlite-error.ts'

/** One open file. Everything is synchronous, so nothing comes between the statements of a transaction. */
export interface Connection {
  readonly path: string
  readonly readOnly: boolean
  run<Parameters>(plan: Plan<Parameters, unknown>, parameters: Parameters): number
  get<Parameters, Row>(plan: Plan<Parameters, Row>, parameters: Parameters): Row | undefined
  all<Parameters, Row>(plan: Plan<Parameters, Row>, parameters: Parameters): readonly Row[]
  /** Rows as arrays, in the order of the columns: a third of the time where there are many. */
  tuples<Parameters, Row extends readonly unknown[]>(
    plan: Plan<Parameters, Row>,
    parameters: Parameters,
  ): readonly Row[]
  /** Rows of a query that is built anew each time. */
  rows<Row>(query: Compilable<Row>): readonly Row[]
  tupleRows<Row extends readonly unknown[]>(query: Compilable<Row>): readonly Row[]
  execute(sql: string): void
  /** Runs it in a transaction that takes the right to write at once. A throw undoes everything. */
  transaction<Result>(work: () => Result): Result
  /** Runs it within a transaction. A throw undoes only this. */
  nested<Result>(work: () => Result): Result
  readonly inTransaction: boolean
  /** Whether a commit that finds many pages in the write-ahead log moves them into the file. It does unless told. */
  movesPages(does: boolean): void
  /** Moves now what no reader needs in the log. */
  movePages(): void
  close(): void
}

export interface SqliteStoreOptions {
  /** A file, made with its folder when missing; `:memory:` keeps everything in memory. */
  readonly path: string
  readonly readOnly?: boolean
  /** How large the file may grow, in bytes. */
  readonly maxBytes?: number
  /** How long to wait for another process, ms. The process stands still meanwhile. */
  readonly busyTimeoutMs?: number
}

const DEFAULT_BUSY_TIMEOUT_MS = 5_000
/** A long conversation is read again at every step: its pages should stay in memory. */
const CACHE_KIBIBYTES = 32 * 1024
const PAGE_BYTES = 4_096
/** Of the write-ahead log, before it is moved into the file: what SQLite has unless told. */
const LOG_PAGES = 1_000

/** @throws StoreError */
export function openConnection(options: SqliteStoreOptions): Connection {
  const { path, readOnly = false, maxBytes, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS } = options
  if (readOnly && !existsSync(path)) {
    throw new StoreError('not-found', `there is no store at ${path}: start the gateway once, or name another home`)
  }
  let open = true
  const statements = new Map<string, StatementSync>()
  const tupleStatements = new Map<string, StatementSync>()
  const database = guarded(() => {
    if (!readOnly) makePrivateFile(path)
    return new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs })
  })
  try {
    guarded(() => database.exec(settings(readOnly, maxBytes)))
  } catch (error) {
    database.close()
    throw error
  }

  return {
    path,
    readOnly,
    run: (plan, parameters) => guarded(() => Number(prepare(plan.sql).run(...bound(plan, parameters)).changes)),
    get: <Parameters, Row>(plan: Plan<Parameters, Row>, parameters: Parameters) =>
      guarded(() => prepare(plan.sql).get(...bound(plan, parameters)) as Row | undefined),
    all: <Parameters, Row>(plan: Plan<Parameters, Row>, parameters: Parameters) =>
      guarded(() => prepare(plan.sql).all(...bound(plan, parameters)) as unknown as Row[]),
    tuples: <Parameters, Row extends readonly unknown[]>(plan: Plan<Parameters, Row>, parameters: Parameters) =>
      guarded(() => prepareTuples(plan.sql).all(...bound(plan, parameters)) as unknown as Row[]),
    rows: <Row>(query: Compilable<Row>) => {
      const { sql, parameters } = query.compile()
      return guarded(() => prepare(sql).all(...(parameters as Scalar[])) as unknown as Row[])
    },
    tupleRows: <Row extends readonly unknown[]>(query: Compilable<Row>) => {
      const { sql, parameters } = query.compile()
      return guarded(() => prepareTuples(sql).all(...(parameters as Scalar[])) as unknown as Row[])
    },
    execute,
    transaction(work) {
      execute('begin immediate')
      try {
        const result = work()
        execute('commit')
        return result
      } catch (error) {
        if (database.isTransaction) execute('rollback')
        throw error
      }
    },
    nested(work) {
      execute('savepoint nested')
      try {
        const result = work()
        execute('release nested')
        return result
      } catch (error) {
        if (database.isTransaction) execute('rollback to nested; release nested')
        throw error
      }
    },
    get inTransaction() {
      return database.isTransaction
    },
    movesPages: (does) => execute(`pragma wal_autocheckpoint = ${does ? LOG_PAGES : 0}`),
    movePages: () => execute('pragma wal_checkpoint(passive)'),
    close() {
      open = false
      if (database.isOpen) database.close()
    },
  }

  function execute(sql: string): void {
    guarded(() => database.exec(sql))
  }

  function prepare(sql: string): StatementSync {
    const known = statements.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  function prepareTuples(sql: string): StatementSync {
    const known = tupleStatements.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    tupleStatements.set(sql, statement)
    return statement
  }

  function guarded<Result>(work: () => Result): Result {
    if (!open) throw new StoreError('closed', `the store ${path} is closed`)
    try {
      return work()
    } catch (error) {
      throw resultCode(error) === undefined ? error : storeError(error, path)
    }
  }
}

function bound<Parameters>(plan: Plan<Parameters, unknown>, parameters: Parameters): Scalar[] {
  return plan.names.map((name) => (parameters[name] ?? null) as Scalar)
}

/** `full`: a commit is on the disk when it returns. `fullfsync`: on macOS too. */
function settings(readOnly: boolean, maxBytes: number | undefined): string {
  const always = `pragma cache_size = -${CACHE_KIBIBYTES}; pragma foreign_keys = on;`
  if (readOnly) return always
  const limit = maxBytes === undefined ? '' : `pragma max_page_count = ${Math.floor(maxBytes / PAGE_BYTES)};`
  return `${always} pragma journal_mode = wal; pragma synchronous = full; pragma fullfsync = on; ${limit}`
}

/** What is said in sessions is nobody else's business. The files that SQLite makes beside it take on its mode. */
function makePrivateFile(path: string): void {
  if (path === ':memory:' || existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}
