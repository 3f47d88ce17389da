import type { Clock } from '../../platform.ts'
import type { SessionStore } from '../session-store.ts'
import { createStore } from '../tables/create-store.ts'
import type { MemoryStore } from '../tables/find-damage.ts'
import { openStoreConnection, type SqliteStoreOptions } from './connection.ts'
import { migrate, refuseOtherVersions } from './migrations.ts'
import { createWriteQueue } from './write-queue.ts'

/** See `openStore`. */
export async function openStoreFile(options: SqliteStoreOptions): Promise<SessionStore> {
  const { path, clock } = options
  refuseOtherVersions(path)
  const connection = openMigrated(options)
  const { readOnly, work, close } = connection
  return createStore({
    place: path,
    clock,
    readOnly,
    read: work,
    queue: createWriteQueue(connection),
    openMemory: () => openMemoryStore(clock),
    close,
  })
}

/** A store in memory, with the newest tables. */
export function openMemoryStore(clock: Clock): MemoryStore {
  const { work: run, close } = openMigrated({ path: ':memory:', clock })
  return { run, close }
}

/** Opens the tables of a file, brought up to date. @throws StoreError */
export function openMigrated(options: SqliteStoreOptions) {
  const connection = openStoreConnection(options)
  try {
    migrate(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
