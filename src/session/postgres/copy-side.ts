import { serialQueue } from '../../platform.ts'
import type { CopySide, CopyTarget } from '../copy/copy-rows.ts'
import { countedTables, storedTables } from '../tables/stored-tables.ts'
import type { DerivedColumns } from '../copy/table-rows.ts'
import { StoreError } from '../store-error.ts'
import { databaseName, schemaOf } from './address.ts'
import { type DatabaseClient, openClient, type PostgresAddress } from './client.ts'
import { holdStore, readHolder } from './ownership.ts'
import { refuseNewer, refuseOlder } from './migrate-tables.ts'
import { createTables, prepareTables, refuseUnusable } from './prepare-tables.ts'

/** The store of a database. No gateway takes it and nobody writes beside one until it is ended. @throws StoreError */
export async function openDatabaseSource(at: PostgresAddress): Promise<CopySide> {
  await prepareTables(at, 'read')
  const client = await openClient(at)
  try {
    await refuseHeld(client, at)
    await client.begin('', 'lock table audit in exclusive mode')
    return sideOf(client, at)
  } catch (error) {
    await client.end()
    throw error
  }
}

/** A store in a database that has none, or an empty one. It is written in one transaction. @throws StoreError */
export async function openDatabaseTarget(at: PostgresAddress): Promise<CopyTarget> {
  const client = await openClient(at)
  try {
    await refuseUnusable(client, at)
    await client.begin('')
    await createTables(client, schemaOf(at), databaseName(at))
    await refuseNewer(client, databaseName(at))
    await refuseOlder(client, databaseName(at))
    await refuseHeld(client, at)
    return {
      ...sideOf(client, at),
      derived,
      async keep() {
        for (const name of countedTables) {
          await client.execute(
            `select setval(pg_get_serial_sequence('${name}', 'number'), coalesce(max(number), 0) + 1, false) from ${name}`,
          )
        }
        await client.commit()
        // Without that, the first questions are planned for empty tables.
        await client.execute(`analyze ${storedTables.map(({ name }) => name).join(', ')}`)
      },
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

/** What is not committed is undone with its connection. Questions that come together are asked one after another: it is one connection. */
function sideOf(client: DatabaseClient, at: PostgresAddress): CopySide {
  const queue = serialQueue()
  return { place: databaseName(at), work: (work) => queue.add(() => client.work(work)), end: () => client.end() }
}

/** Takes the lock of the store for this connection, so that no gateway can. */
async function refuseHeld(client: DatabaseClient, at: PostgresAddress): Promise<void> {
  if (await client.work(holdStore())) return
  const holder = await client.work(readHolder())
  throw new StoreError('claimed', `The database ${databaseName(at)} is used by ${holder?.words ?? 'a gateway'}.`, {
    hint: 'Stop every gateway on it first, then try again.',
  })
}

/** The column of the calls that only a database has: the id that another program gave to the answer. */
const derived: DerivedColumns = {
  calls: {
    column: 'answer',
    value(row) {
      const outcome = row[OUTCOME]
      if (typeof outcome !== 'string') return null
      const { foreign } = JSON.parse(outcome) as { readonly foreign?: { readonly id?: string } }
      return foreign?.id ?? null
    },
  },
}

const OUTCOME = storedTables.find(({ name }) => name === 'calls')!.columns.indexOf('outcome')
