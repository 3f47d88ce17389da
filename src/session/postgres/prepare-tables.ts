import type { Clock } from '../../platform.ts'
import { StoreError } from '../store-error.ts'
import { databaseName, DEFAULT_SCHEMA, schemaOf } from './address.ts'
import { type DatabaseClient, openClient, type PostgresAddress } from './client.ts'
import { connectError } from './connect-error.ts'
import { migrateTables, migrationsSql, refuseNewer, refuseOlder } from './migrate-tables.ts'
import { changeLock } from './ownership.ts'
import { schemaTables } from './schema.ts'

/** The oldest PostgreSQL that can say what became of a transaction. */
export const OLDEST_SERVER = 13

/**
 * Makes the schema and the tables of a store where they are missing, and brings those of an earlier version to the newest one.
 *
 * With `'read'` nothing is made.
 *
 * @throws StoreError `invalid` (the name of the schema), `io`, `newer`, `busy` and `claimed` (see `migrateTables`), `not-found` and
 *   `older` (only with `'read'`)
 */
export async function prepareTables(at: PostgresAddress, clock: Clock | 'read'): Promise<void> {
  const place = databaseName(at)
  const schema = schemaOf(at)
  const client = await openClient(at)
  try {
    await refuseUnusable(client, at)
    if (!(await hasTables(client, schema))) {
      if (clock === 'read') throw new StoreError('not-found', `there is no store at ${place}: start the gateway once`)
      await client.begin('')
      await createTables(client, schema, place)
      await client.commit()
    }
    await refuseNewer(client, place)
    if (clock === 'read') await refuseOlder(client, place)
    else await migrateTables(client, schema, place, clock)
  } finally {
    await client.end()
  }
}

/** Refuses a server that is too old, and for a schema with a name of its own a pooler that mixes connections. */
export async function refuseUnusable(client: DatabaseClient, at: PostgresAddress): Promise<void> {
  await refuseOldServer(client, databaseName(at))
  if (schemaOf(at) !== DEFAULT_SCHEMA) await refusePooler(client, at, databaseName(at))
}

/** A table is read, for what is cached of the catalog may be older than a lock. */
async function hasTables(client: DatabaseClient, schema: string): Promise<boolean> {
  const found = await client.execute(
    `select from pg_tables where schemaname = '${schema}' and tablename = 'schema_version'`,
  )
  return found.length > 0
}

/**
 * Makes the schema and its tables in the transaction that was begun, unless another process has made them first: two may start at the
 * same moment.
 */
export async function createTables(client: DatabaseClient, schema: string, place: string): Promise<void> {
  try {
    await client.execute(`select pg_advisory_xact_lock(${changeLock(`'${schema}'`)})`)
    if (await hasTables(client, schema)) return
    const found = await client.execute(`select from pg_namespace where nspname = '${schema}'`)
    // The right to create a schema is needed only where there is none.
    if (found.length === 0) await client.execute(`create schema "${schema}"`)
    await client.execute(schemaTables(schema))
    await client.execute(migrationsSql())
  } catch (error) {
    if (!(error instanceof StoreError) || !error.cause) throw error
    const { code, message, hint = '', cause } = connectError(error.cause, place)
    const lacksRight = (cause as { readonly code?: string }).code === '42501'
    throw new StoreError(code, message, {
      cause,
      hint: lacksRight ? `${hint} Or let it run \`create schema ${schema} authorization USER\`.` : hint,
    })
  }
}

/** Where a pooler gives a statement any of its connections, one may have the schema of another home. */
async function refusePooler(client: DatabaseClient, at: PostgresAddress, place: string): Promise<void> {
  const other = await openClient(at)
  try {
    if (!(await areOne(client, other))) return
    throw new StoreError(
      'io',
      `Cannot use the database ${place}: a pooler gives each transaction another connection.`,
      {
        hint: 'Name the address of the server itself, or set the pooler to pool_mode = session.',
      },
    )
  } finally {
    await other.end()
  }
}

async function refuseOldServer(client: DatabaseClient, place: string): Promise<void> {
  const [row] = await client.execute("select current_setting('server_version') as version")
  const version = String(row?.['version'])
  if (Number.parseInt(version, 10) >= OLDEST_SERVER) return
  const message = `Cannot use the database ${place}: its PostgreSQL is ${version}.`
  throw new StoreError('io', message, { hint: `Foreword needs PostgreSQL ${OLDEST_SERVER} or newer.` })
}

/** Whether two connections that are open at once are the same one of the database: a pooler is between. */
export async function areOne(one: DatabaseClient, other: DatabaseClient): Promise<boolean> {
  return (await processOf(one)) === (await processOf(other))
}

async function processOf(client: DatabaseClient): Promise<unknown> {
  const [row] = await client.execute('select pg_backend_pid() as pid')
  return row?.['pid']
}
