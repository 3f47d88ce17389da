import { readSqliteFile } from '../../platform.ts'
import { storeFile } from './store-file.ts'

/** The hashes of the files that a store names, lowercase hexadecimal, in ascending order. Empty where it has no table of files. */
export function fileHashes(path: string): readonly string[] {
  return readSqliteFile(path, storeFile, (database) => {
    const found = database.prepare("select 1 from sqlite_schema where type = 'table' and name = 'files'").get()
    if (found === undefined) return []
    return database
      .prepare('select distinct hash from files order by hash')
      .all()
      .map(({ hash }) => String(hash))
  })
}
