import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { SearchError } from '../search-error.ts'
import { searchError } from './sqlite-error.ts'

export type Scalar = string | number | Uint8Array | null

/** One open index. Everything is synchronous, so nothing comes between the statements of a transaction. */
export interface Connection {
  readonly path: string
  readonly readOnly: boolean
  /** Runs a statement to its end. */
  run(sql: string, ...parameters: readonly Scalar[]): void
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who writes a statement knows its rows
  get<Row>(sql: string, ...parameters: readonly Scalar[]): Row | undefined
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who writes a statement knows its rows
  all<Row>(sql: string, ...parameters: readonly Scalar[]): readonly Row[]
  /** Rows one by one, for whoever may have enough of them. Nothing else may be asked of the same statement meanwhile. */
  each<Row>(sql: string, ...parameters: readonly Scalar[]): Iterable<Row>
  execute(sql: string): void
  /** Runs it in a transaction that takes the right to write at once. A throw undoes everything. */
  transaction<Result>(work: () => Result): Result
  close(): void
}

export interface ConnectionOptions {
  /** A file, made with its folder when missing; `:memory:` keeps everything in memory. */
  readonly path: string
  readonly readOnly?: boolean
  /** How long to wait for another process, ms. The process stands still meanwhile. */
  readonly busyTimeoutMs?: number
  /** `false`: a loss of power may take the newest commits with it, and nothing else. They are on the disk unless given. */
  readonly durable?: boolean
}

const DEFAULT_BUSY_TIMEOUT_MS = 5_000
const CACHE_KIBIBYTES = 32 * 1024

/** @throws SearchError */
export function openConnection(options: ConnectionOptions): Connection {
  const { path, readOnly = false, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS, durable = true } = options
  if (readOnly && !existsSync(path)) {
    throw new SearchError(
      'not-found',
      `there is no search index at ${path}: start the gateway once, or name another home`,
    )
  }
  let open = true
  const statements = new Map<string, StatementSync>()
  const database = guarded(() => {
    if (!readOnly) makePrivateFile(path)
    return new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs })
  })
  try {
    guarded(() => database.exec(settings(readOnly, durable)))
  } catch (error) {
    database.close()
    throw error
  }

  return {
    path,
    readOnly,
    // Not `run` of the statement: a deletion from a full-text table leaves a last row id that no JavaScript number holds.
    run: (sql, ...parameters) => void guarded(() => prepare(sql).all(...parameters)),
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who writes a statement knows its rows
    get: <Row>(sql: string, ...parameters: readonly Scalar[]) =>
      guarded(() => prepare(sql).get(...parameters) as Row | undefined),
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who writes a statement knows its rows
    all: <Row>(sql: string, ...parameters: readonly Scalar[]) =>
      guarded(() => prepare(sql).all(...parameters) as unknown as Row[]),
    *each<Row>(sql: string, ...parameters: readonly Scalar[]) {
      const rows = guarded(() => prepare(sql).iterate(...parameters))
      try {
        for (;;) {
          const next = guarded(() => rows.next())
          if (next.done) return
          yield next.value as Row
        }
      } finally {
        // Who leaves early must not leave the statement open: it would keep the index as it was at that moment.
        rows.return?.()
      }
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

  function guarded<Result>(work: () => Result): Result {
    if (!open) throw new SearchError('closed', `the search index ${path} is closed`)
    try {
      return work()
    } catch (error) {
      throw searchError(error, path)
    }
  }
}

/** `full`: a commit is on the disk when it returns. `fullfsync`: on macOS too. */
function settings(readOnly: boolean, durable: boolean): string {
  const always = `pragma cache_size = -${CACHE_KIBIBYTES};`
  if (readOnly) return always
  const commits = durable ? 'pragma synchronous = full; pragma fullfsync = on;' : 'pragma synchronous = normal;'
  return `${always} pragma journal_mode = wal; ${commits}`
}

/** What documents say is nobody else's business. The files that SQLite makes beside it take on its mode. */
function makePrivateFile(path: string): void {
  if (path === ':memory:' || existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}
