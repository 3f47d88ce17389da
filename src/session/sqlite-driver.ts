import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copySqliteFile, findSqliteFileFault, querySqliteFile, readSqliteFile, sqliteFileFault } from '../platform.ts'
import type { SessionStore } from './session-store.ts'
import type { SqliteStoreOptions } from './sqlite/connection.ts'
import type { MissingContent, StoreDriver } from './store-driver.ts'
import { storeFile } from './store-error.ts'

const FILE = 'foreword.sqlite'

/** Keeps everything in one SQLite file in the data folder. The code that opens it is loaded when needed. */
export const sqliteDriver: StoreDriver = {
  name: 'sqlite',
  open: ({ folder, readOnly = false, inMemory = false }) =>
    openSqliteStore({ path: inMemory ? ':memory:' : fileIn(folder), readOnly }),
  exists: async (folder) => existsSync(fileIn(folder)),
  location: fileIn,
  owns: (name) => name.startsWith(FILE),
  findFault: (folder) => findSqliteFileFault(fileIn(folder), storeFile),
  findMissingContents: (folder) => missingContents(fileIn(folder)),
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
 * Opens the store in an SQLite file, creates it when missing, and brings its tables up to date. One process writes, any
 * number may read (`readOnly`) at the same time. `sqliteDriver` opens the store of a home.
 *
 * @throws StoreError `newer`, `older`, `corrupt`, `busy`, `readonly`, `not-found` (only when `readOnly`), `io`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SessionStore> {
  const sqlite = await import('./sqlite/open-sqlite-store.ts')
  return sqlite.openStoreFile(options)
}

function fileIn(folder: string): string {
  return join(folder, FILE)
}

/** The hashes of the files of a store, lowercase hexadecimal, ascending. Empty where it has no table of files. */
function fileHashes(path: string): readonly string[] {
  return readSqliteFile(path, storeFile, (database) => {
    const found = database.prepare("select 1 from sqlite_schema where type = 'table' and name = 'files'").get()
    if (found === undefined) return []
    return database
      .prepare('select distinct hash from files order by hash')
      .all()
      .map(({ hash }) => String(hash))
  })
}

/**
 * Contents that an SQLite file references and does not have. Texts of people and models are not searched, since they may
 * quote a digest. A content that was removed with the session whose words it contained is not missing.
 *
 * @throws StoreError `busy`, `corrupt`, `io`
 */
async function missingContents(path: string): Promise<readonly MissingContent[]> {
  const rows = await querySqliteFile(path, storeFile, MISSING)
  return rows.map(({ hash, place }) => ({ hash: String(hash), place: String(place) }))
}

/** Selects every place that references a missing content as `sha256:HASH`. */
const MISSING = `
  with named (reference, place) as (
    select part.value, 'call ' || calls.id
      from calls, json_tree(calls.record, '$.input') as part where part.type = 'text'
    union all
    select json_extract(data, '$.stored.content'), 'entry ' || seq || ' of session ' || session
      from entries where type = 'tool-end'
    union all
    select json_extract(file.value, '$.content'), 'entry ' || entries.seq || ' of session ' || entries.session
      from entries, json_each(entries.data, '$.attachments') as file where entries.type = 'input'
    union all
    select json_extract(state, '$.reading.content'), 'file ' || id from files
    union all
    select part.value, 'proposal ' || records.id
      from records, json_tree(records.value, '$.stage') as part
      where records.kind = 'proposal' and part.key in ('before', 'after')
  )
  select substr(reference, 8) as hash, min(place) as place
    from named left join contents on contents.hash = substr(reference, 8)
    where length(reference) = 71 and reference glob 'sha256:*' and contents.hash is null
      and not exists (select 1 from named_values where key = 'content-of/' || substr(reference, 8) and value = '[]')
    group by reference order by reference`
