import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { storeError } from './sqlite-error.ts'

/** How long to wait for a process that is writing, ms. */
const BUSY_TIMEOUT_MS = 30_000

/**
 * Copies an SQLite file into a new one as it is at one moment, beside a process that goes on writing. The copy is one
 * file, without free pages. The process stands still meanwhile.
 *
 * @throws StoreError `busy`, `corrupt`, `full`, `io`
 */
export function snapshotStore(path: string, target: string): void {
  readStoreFile(path, (database) => database.prepare('vacuum into ?').run(target))
}

/** The hashes of the files that a store names, lowercase hexadecimal, in ascending order. Empty where it has no table of files. */
export function fileHashes(path: string): readonly string[] {
  return readStoreFile(path, (database) => {
    const found = database.prepare("select 1 from sqlite_schema where type = 'table' and name = 'files'").get()
    if (found === undefined) return []
    return database
      .prepare('select distinct hash from files order by hash')
      .all()
      .map(({ hash }) => String(hash))
  })
}

/** The first thing that is wrong with an SQLite file, in SQLite's words; `undefined` where it is whole. */
export function storeFault(path: string): string | undefined {
  return readStoreFile(path, (database) => {
    const row = database.prepare('pragma quick_check(1)').get()
    const found = row === undefined ? 'ok' : String(Object.values(row)[0])
    return found === 'ok' ? undefined : found
  })
}

/** Opens an SQLite file for reading, beside a process that writes, and closes it. Failures are `StoreError`. */
export function readStoreFile<Result>(path: string, work: (database: DatabaseSync) => Result): Result {
  if (!existsSync(path)) throw new Error(`There is no store at ${path}.`)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    return work(database)
  } catch (error) {
    throw storeError(error, path)
  } finally {
    database?.close()
  }
}
