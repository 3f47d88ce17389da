import type { Clock } from '../../platform.ts'
import type { SessionStore } from '../session-store.ts'
import { StoreError } from '../store-error.ts'
import { createStore } from '../tables/create-store.ts'
import { addressWithoutPassword } from './address.ts'
import { openClient, type PostgresAddress } from './client.ts'
import { createReaders } from './readers.ts'
import { schema, SCHEMA_VERSION } from './schema.ts'
import { createDatabaseQueue } from './write-queue.ts'
import { openWriter, type Writer } from './writer.ts'

/** How a store in a PostgreSQL database is opened. */
export interface PostgresStoreOptions extends PostgresAddress {
  readonly clock: Clock
  readonly readOnly?: boolean | undefined
}

/**
 * Opens the store that a database has, and makes its tables where they are missing. One process writes: it holds a lock of the database
 * for as long as it is connected.
 *
 * @throws StoreError `claimed`, `io`, `newer`, `not-found` (only when `readOnly`)
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SessionStore> {
  const { clock, readOnly = false } = options
  const place = addressWithoutPassword(options.address)
  const writer = readOnly ? undefined : await openWriter(options, clock)
  const readers = createReaders(options, clock)
  const close = async () => {
    await Promise.all([writer?.close(), readers.close()])
  }
  try {
    await prepareTables(options, place, readOnly)
    return await createStore({
      place,
      clock,
      readOnly,
      read: (work, sees) => readers.read(work, sees !== undefined),
      queue: createDatabaseQueue(writer ?? neverWrites, clock),
      async openMemory() {
        const { openMemoryStore } = await import('../sqlite/open-sqlite-store.ts')
        return openMemoryStore(clock)
      },
      close,
    })
  } catch (error) {
    await close()
    throw error
  }
}

/** The store itself refuses each write before. */
const neverWrites: Pick<Writer, 'transaction'> = {
  async transaction() {
    throw new StoreError('readonly', 'the store was opened for reading')
  },
}

async function prepareTables(at: PostgresAddress, place: string, readOnly: boolean): Promise<void> {
  const client = await openClient(at)
  try {
    const [found] = await client.execute("select to_regclass('foreword.schema_version') is not null as found")
    if (found?.['found'] !== true) {
      if (readOnly) throw new StoreError('not-found', `there is no store at ${place}: start the gateway once`)
      await client.execute(`begin; ${schema} commit`)
      return
    }
    const [row] = await client.execute('select version from foreword.schema_version')
    if (Number(row?.['version']) === SCHEMA_VERSION) return
    throw new StoreError(
      'newer',
      `the store ${place} was made by a newer Foreword (its schema has version ${String(row?.['version'])}, this one knows ${SCHEMA_VERSION}); nothing was changed`,
      { hint: 'Update Foreword, or give this gateway another database.' },
    )
  } finally {
    await client.end()
  }
}
