import { compactSqliteFile, copySqliteFile, type SqliteFileKind } from '../../platform.ts'
import { SearchError } from '../search-error.ts'

/** A search index, as its errors speak of it. */
export const indexFile: SqliteFileKind = {
  noun: 'search index',
  repair: 'delete the file, and it is built again',
  error: (code, message, options) => new SearchError(code, message, options),
}

/**
 * Copies an index as it is at one moment, beside a process that goes on writing.
 *
 * @throws SearchError
 */
export function copySearchIndex(path: string, target: string): void {
  copySqliteFile(path, target, indexFile)
}

/**
 * Gives the free space in an index back to the disk, while nothing else has it open.
 *
 * @throws SearchError
 */
export function compactSearchIndex(path: string): void {
  compactSqliteFile(path, indexFile)
}
