import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fdatasync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

export type SqliteValue = string | number | Uint8Array | null

/** One open SQLite file. All but `sync` is synchronous, so nothing comes between the statements of a transaction. */
export interface SqliteConnection {
  readonly path: string
  readonly readOnly: boolean
  run(sql: string, ...parameters: readonly SqliteValue[]): void
  /** Runs a statement and returns how many rows it changed. Not for a full-text table: no JavaScript number holds its last row id. */
  change(sql: string, ...parameters: readonly SqliteValue[]): number
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who writes a statement knows its rows
  get<Row>(sql: string, ...parameters: readonly SqliteValue[]): Row | undefined
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who writes a statement knows its rows
  all<Row>(sql: string, ...parameters: readonly SqliteValue[]): readonly Row[]
  /** Rows as arrays, in the order of the columns: a third of the time where there are many. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who writes a statement knows its rows
  tuples<Row extends readonly unknown[]>(sql: string, ...parameters: readonly SqliteValue[]): readonly Row[]
  /** Rows one by one, for a reader that may stop early. The same statement must not be used meanwhile. */
  each<Row>(sql: string, ...parameters: readonly SqliteValue[]): Iterable<Row>
  execute(sql: string): void
  /** Runs `work` in a transaction that takes the write lock at once. Where it throws, everything is undone. */
  transaction<Result>(work: () => Result): Result
  /** Resolves when every commit so far is on the disk, however the file is `durable`. Other work goes on meanwhile. */
  sync(): Promise<void>
  close(): void
}

/** How an SQLite file is opened. */
export interface SqliteOptions {
  /** A file, created with its folder when missing; `:memory:` keeps everything in memory. */
  readonly path: string
  /** How its errors name the file. */
  readonly kind: SqliteFileKind
  readonly readOnly?: boolean | undefined
  /** How long to wait for another process, ms. This process is blocked meanwhile. 5,000 unless given. */
  readonly busyTimeoutMs?: number | undefined
  /**
   * `false`: a power loss may lose the newest commits, and nothing else. `on-sync`: those that no `sync` has waited for. Default:
   * a commit returns when it is on the disk, and this thread stands still until then.
   */
  readonly durable?: boolean | 'on-sync' | undefined
  /** Further pragmas of a writer, as SQL. */
  readonly settings?: string | undefined
}

/** `fdatasync` is looked up with each call: tests put a disk that fails in its place. */
const waitForDisk = promisify((file: number, done: (error: Error | null) => void) => fdatasync(file, done))
const DEFAULT_BUSY_TIMEOUT_MS = 5_000
/** The size of the page cache: pages that are read often stay in memory. */
const CACHE_KIBIBYTES = 8 * 1024

/** Opens an SQLite file. Every failure is an error of its kind. */
export function openSqlite(options: SqliteOptions): SqliteConnection {
  const { path, kind, readOnly = false, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS } = options
  if (readOnly && !existsSync(path)) {
    throw kind.error('not-found', `there is no ${kind.noun} at ${path}: start the gateway once, or name another home`)
  }
  let open = true
  /** What it has of the last commits nobody knows, and a second wait would succeed without them: nothing more is written. */
  let fault: unknown
  const statements = new Map<string, StatementSync>()
  const tupleStatements = new Map<string, StatementSync>()
  const database = guarded(() => {
    if (!readOnly) makePrivateFile(path)
    return openDatabase(readOnly ? addressForReading(path) : path, { readOnly, timeout: busyTimeoutMs })
  })
  let log: string | undefined
  let logFile: number | undefined
  try {
    guarded(() => database.exec(pragmas(options)))
    log = guarded(() => logOf(database, path))
    // Without a log there is nothing to wait for later, so each commit waits.
    if (log === undefined && options.durable === 'on-sync') guarded(() => database.exec(COMMITS_WAIT))
  } catch (error) {
    database.close()
    throw error
  }

  return {
    path,
    readOnly,
    run: (sql, ...parameters) => void guarded(() => prepare(sql).all(...parameters)),
    change: (sql, ...parameters) => guarded(() => Number(prepare(sql).run(...parameters).changes)),
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who writes a statement knows its rows
    get: <Row>(sql: string, ...parameters: readonly SqliteValue[]) =>
      guarded(() => prepare(sql).get(...parameters) as Row | undefined),
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who writes a statement knows its rows
    all: <Row>(sql: string, ...parameters: readonly SqliteValue[]) =>
      guarded(() => prepare(sql).all(...parameters) as unknown as Row[]),
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who writes a statement knows its rows
    tuples: <Row extends readonly unknown[]>(sql: string, ...parameters: readonly SqliteValue[]) =>
      guarded(() => prepare(sql, tupleStatements).all(...parameters) as unknown as Row[]),
    *each<Row>(sql: string, ...parameters: readonly SqliteValue[]) {
      const rows = guarded(() => prepare(sql).iterate(...parameters))
      try {
        for (;;) {
          const next = guarded(() => rows.next())
          if (next.done) return
          yield next.value as Row
        }
      } finally {
        // A reader that leaves early must not leave the statement open: it would pin the state of the file at that moment.
        rows.return?.()
      }
    },
    execute,
    transaction,
    async sync() {
      if (log === undefined) return
      try {
        // It stays the same file for as long as the database is open.
        logFile ??= openSync(log, 'r+')
        await waitForDisk(logFile)
      } catch (error) {
        fault ??= notSynced(error, path, kind)
      }
      if (fault !== undefined) throw fault
    },
    close() {
      open = false
      if (logFile !== undefined) closeSync(logFile)
      logFile = undefined
      if (database.isOpen) database.close()
    },
  }

  function execute(sql: string): void {
    guarded(() => database.exec(sql))
  }

  function prepare(sql: string, prepared = statements): StatementSync {
    const known = prepared.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    if (prepared === tupleStatements) statement.setReturnArrays(true)
    prepared.set(sql, statement)
    return statement
  }

  function transaction<Result>(work: () => Result): Result {
    if (fault !== undefined) throw fault
    execute('begin immediate')
    try {
      const result = work()
      execute('commit')
      return result
    } catch (error) {
      if (database.isTransaction) execute('rollback')
      throw error
    }
  }

  function guarded<Result>(work: () => Result): Result {
    if (!open) throw kind.error('closed', `the ${kind.noun} ${path} is closed`)
    try {
      return work()
    } catch (error) {
      const meaning = sqliteError(error, path, kind)
      if (NOT_SYNCED.has(sqliteResult(error) ?? 0)) fault ??= meaning
      throw meaning
    }
  }
}

/** `node:sqlite` is loaded with the first file that is opened: most commands open none. */
export function openDatabase(path: string, options: { readOnly?: boolean; timeout?: number } = {}): DatabaseSync {
  return new (process.getBuiltinModule('node:sqlite').DatabaseSync)(path, options)
}

/**
 * The address at which a file is opened to be read. Where nobody may write beside it, as on a read-only file system, SQLite cannot
 * create what a reader needs, so that a file without a write-ahead log is read as one that does not change.
 */
export function addressForReading(path: string): string {
  return canWriteIn(dirname(path)) ? path : unchangingAddress(path)
}

/** With this address SQLite creates and changes nothing beside the file. The path itself where there is a write-ahead log to be read. */
export function unchangingAddress(path: string): string {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return path
  const address = pathToFileURL(path)
  address.searchParams.set('immutable', '1')
  return address.href
}

/** Whether this process may create files in an existing folder. */
export function canWriteIn(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** `full`: a commit is on the disk when it returns. `fullfsync`: on macOS too. */
const COMMITS_WAIT = 'pragma synchronous = full; pragma fullfsync = on;'

function pragmas({ readOnly = false, durable = true, settings = '' }: SqliteOptions): string {
  const always = `pragma cache_size = -${CACHE_KIBIBYTES};`
  if (readOnly) return always
  const commits = durable === true ? COMMITS_WAIT : 'pragma synchronous = normal;'
  return `${always} pragma journal_mode = wal; ${commits} ${settings}`
}

/**
 * The write-ahead log of a file; `undefined` where it has none, as in memory. A commit is in it as a whole, and with
 * `synchronous = normal` SQLite itself waits for the disk whenever the log starts over or is moved into the file, so that waiting
 * for the log is all that is left to do: https://sqlite.org/wal.html, section 2.2.
 */
function logOf(database: DatabaseSync, path: string): string | undefined {
  if (path === ':memory:') return undefined
  const mode = database.prepare('pragma journal_mode').get()?.['journal_mode']
  return mode === 'wal' ? `${realpathSync(path)}-wal` : undefined
}

/** Creates the file for this user alone. The files that SQLite creates beside it get the same mode. */
function makePrivateFile(path: string): void {
  if (path === ':memory:' || existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}

/** Why SQLite or the file system failed, for programs. */
export type SqliteErrorCode =
  | 'busy'
  | 'readonly'
  | 'io'
  /** The disk did not confirm what was written, so that nobody knows what it has of it. */
  | 'not-synced'
  | 'corrupt'
  | 'full'
  | 'invalid'
  | 'conflict'
  | 'not-found'
  | 'closed'

/** How errors name an SQLite file, and which errors they are. */
export interface SqliteFileKind {
  /** Such as `store`. */
  readonly noun: string
  /** What to do about a damaged file. */
  readonly repair: string
  error(code: SqliteErrorCode, message: string, options?: ErrorOptions): Error
}

/** Turns an error of SQLite or of the file system into an error of this kind; returns any other error unchanged. */
export function sqliteError(error: unknown, path: string, kind: SqliteFileKind): unknown {
  const result = sqliteResult(error)
  const number = result === undefined ? fileResult(error) : result === NO_SHARED_ROOM ? 13 : result & 0xff
  if (!(error instanceof Error) || number === undefined) return error
  if (NOT_SYNCED.has(result ?? 0)) return notSynced(error, path, kind)
  const [code, message] = meanings(kind)[number] ?? ['io', `the ${kind.noun} failed`]
  return kind.error(code, `${message} (${path}: ${error.message})`, { cause: error })
}

/** `SQLITE_IOERR_SHMSIZE`: on a full disk the file that a write-ahead log has beside it cannot grow. */
const NO_SHARED_ROOM = 4874

/** `SQLITE_IOERR_FSYNC` and `SQLITE_IOERR_DIR_FSYNC`. */
const NOT_SYNCED: ReadonlySet<number> = new Set([1034, 1290])

function notSynced(error: unknown, path: string, kind: SqliteFileKind): Error {
  const why = error instanceof Error ? error.message : String(error)
  const message = `the disk did not confirm what was written to the ${kind.noun}, which takes nothing more until it is opened again: check the disk`
  return kind.error('not-synced', `${message} (${path}: ${why})`, { cause: error })
}

/** SQLite's extended result code, or `undefined` for any other error. */
export function sqliteResult(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

export const SQLITE_BUSY = 5

/** The SQLite result code that corresponds to an error of the file system. */
function fileResult(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EIO') return 10
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return 13
  return code === 'EROFS' || code === 'EACCES' || code === 'EPERM' ? 8 : undefined
}

/** By primary result code, https://sqlite.org/rescode.html. */
function meanings({ noun, repair }: SqliteFileKind): Readonly<Record<number, readonly [SqliteErrorCode, string]>> {
  const busy = ['busy', `another process has locked the ${noun}: try again when it is done`] as const
  return {
    [SQLITE_BUSY]: busy,
    6: busy,
    8: ['readonly', `the ${noun} cannot be written: give this user write access to the file and its folder`],
    10: ['io', `the disk failed to read or write the ${noun}, or has no room: check the disk`],
    11: ['corrupt', `the ${noun} is damaged: ${repair}`],
    13: ['full', `there is no room to write the ${noun}: free some space on the disk`],
    14: ['io', `the ${noun} cannot be opened: check that the folder exists and that this user may write in it`],
    18: ['invalid', `this is too large for the ${noun}: shorten it`],
    19: ['conflict', 'this contradicts what is stored'],
    26: ['corrupt', `the file is not a ${noun}: move it away, or name another path`],
  }
}
