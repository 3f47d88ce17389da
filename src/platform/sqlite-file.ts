import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import {
  addressForReading,
  openDatabase,
  openSqlite,
  sqliteError,
  type SqliteFileKind,
  unchangingAddress,
} from './sqlite.ts'

/** How long to wait for a process that is writing, ms. */
const BUSY_TIMEOUT_MS = 30_000

/** Opens an SQLite file for reading, runs `work`, and closes the file. Another process may write meanwhile. Failures are errors of its kind. */
export function readSqliteFile<Result>(
  path: string,
  kind: SqliteFileKind,
  work: (database: DatabaseSync) => Result,
  address = addressForReading(path),
): Result {
  if (!existsSync(path)) throw kind.error('not-found', `there is no ${kind.noun} at ${path}`)
  let database: DatabaseSync | undefined
  try {
    database = openDatabase(address, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    return work(database)
  } catch (error) {
    throw sqliteError(error, path, kind)
  } finally {
    database?.close()
  }
}

/**
 * As `readSqliteFile`, for a short look. Where the file has no write-ahead log, nothing is created or changed beside it: a plain reader
 * would leave an empty log behind.
 */
export function inspectSqliteFile<Result>(
  path: string,
  kind: SqliteFileKind,
  work: (database: DatabaseSync) => Result,
): Result {
  return readSqliteFile(path, kind, work, unchangingAddress(path))
}

/**
 * Writes a consistent copy of an SQLite file, while another process may continue to write. The copy is one file without free
 * pages. This process is blocked meanwhile.
 */
export function copySqliteFile(path: string, target: string, kind: SqliteFileKind): void {
  readSqliteFile(path, kind, (database) => database.prepare('vacuum into ?').run(target))
}

/** The first fault of an SQLite file, as SQLite reports it; `undefined` where it has none. */
export function sqliteFileFault(path: string, kind: SqliteFileKind): string | undefined {
  return readSqliteFile(path, kind, (database) => faultIn(database.prepare(QUICK_CHECK).get()))
}

type Row = Readonly<Record<string, unknown>>

/** Plain JavaScript, so that it runs alike from source and from a package. */
const READER = `
  const { parentPort, workerData: { path, timeout, query } } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout })
    try {
      parentPort.postMessage({ rows: database.prepare(query).all() })
    } finally {
      database.close()
    }
  } catch ({ message, code, errcode }) {
    parentPort.postMessage({ failure: { message, code, errcode } })
  }`

/**
 * The rows of one query that reads an SQLite file, however long it takes: it runs in a thread of its own, and this one goes on
 * with other work. Another process may write meanwhile. Failures are errors of its kind.
 */
export async function querySqliteFile(path: string, kind: SqliteFileKind, query: string): Promise<readonly Row[]> {
  if (!existsSync(path)) throw kind.error('not-found', `there is no ${kind.noun} at ${path}`)
  const worker = new Worker(READER, {
    eval: true,
    execArgv: ['--no-warnings'],
    workerData: { path: addressForReading(path), timeout: BUSY_TIMEOUT_MS, query },
  })
  const answer = await new Promise<
    { readonly rows: readonly Row[] } | { readonly failure: { readonly message: string } }
  >((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that read it ended early')))
  })
  if ('rows' in answer) return answer.rows
  throw sqliteError(Object.assign(new Error(answer.failure.message), answer.failure), path, kind)
}

/** As `sqliteFileFault`, while other work goes on, and with every index compared with its table. */
export async function findSqliteFileFault(path: string, kind: SqliteFileKind): Promise<string | undefined> {
  const [row] = await querySqliteFile(path, kind, 'pragma integrity_check(1)')
  return faultIn(row)
}

const QUICK_CHECK = 'pragma quick_check(1)'

function faultIn(row: Row | undefined): string | undefined {
  const found = row === undefined ? 'ok' : String(Object.values(row)[0])
  return found === 'ok' ? undefined : found
}

/** Returns the free pages of an SQLite file to the disk. No other process may use the file meanwhile. */
export function compactSqliteFile(path: string, kind: SqliteFileKind): void {
  const connection = openSqlite({ path, kind })
  try {
    connection.execute('vacuum; pragma wal_checkpoint(truncate);')
  } finally {
    connection.close()
  }
}
