import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copySqliteFile, sqliteFileFault } from '../platform.ts'
import type { SqliteStoreOptions } from './sqlite/connection.ts'
import { fileHashes } from './sqlite/file-hashes.ts'
import { missingContents } from './sqlite/missing-contents.ts'
import { storeFile } from './sqlite/store-file.ts'
import type { StoreDriver } from './store-driver.ts'
import type { SessionStore } from './store/session-store.ts'

const FILE = 'foreword.sqlite'

/** Keeps everything in one SQLite file in the data folder. What it takes to open it is loaded when it is needed. */
export const sqliteDriver: StoreDriver = {
  name: 'sqlite',
  open: ({ folder, readOnly = false, inMemory = false }) =>
    openSqliteStore({ path: inMemory ? ':memory:' : fileIn(folder), readOnly }),
  exists: async (folder) => existsSync(fileIn(folder)),
  location: fileIn,
  owns: (name) => name.startsWith(FILE),
  findFault: async (folder) => sqliteFileFault(fileIn(folder), storeFile),
  findMissingContents: async (folder) => missingContents(fileIn(folder)),
  async snapshot(folder, target) {
    const copy = fileIn(target)
    rmSync(copy, { force: true })
    copySqliteFile(fileIn(folder), copy, storeFile)
    const fault = sqliteFileFault(copy, storeFile)
    return { files: [FILE], fault, fileHashes: fault === undefined ? fileHashes(copy) : [] }
  },
  async compact(folder, onProgress) {
    const { compactStore } = await import('./sqlite/compact-store.ts')
    const removed = await compactStore(fileIn(folder), onProgress)
    return { ...removed, fileHashes: fileHashes(fileIn(folder)) }
  },
}

/**
 * Opens the store in an SQLite file, makes it when missing, and brings its tables up to date. One process writes, any
 * number may read (`readOnly`) at the same time. `sqliteDriver` opens that of a home.
 *
 * @throws StoreError `newer`, `older`, `corrupt`, `busy`, `readonly`, `not-found` (only when `readOnly`), `io`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SessionStore> {
  const sqlite = await import('./sqlite/open-sqlite-store.ts')
  return sqlite.openSqliteStore(options)
}

function fileIn(folder: string): string {
  return join(folder, FILE)
}
