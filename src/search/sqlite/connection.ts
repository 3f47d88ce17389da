import { openSqlite, type SqliteConnection, type SqliteOptions } from '../../platform.ts'
import { indexFile } from './index-file.ts'

export type { SqliteConnection as Connection } from '../../platform.ts'

/** @throws SearchError */
export function openConnection(options: Omit<SqliteOptions, 'kind' | 'settings'>): SqliteConnection {
  const { path, readOnly, busyTimeoutMs, durable } = options
  return openSqlite({ path, readOnly, busyTimeoutMs, durable, kind: indexFile })
}
