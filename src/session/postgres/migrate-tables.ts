import type { Clock } from '../../platform.ts'
import { StoreError } from '../store-error.ts'
import type { DatabaseClient } from './client.ts'
import { changeLock, migrationLock, ownerLock } from './ownership.ts'
import { type DatabaseMigration, databaseMigrations, knownVersion } from './schema.ts'

/** The versions of the tables of a store. */
export interface TableVersions {
  /** The oldest that a Foreword has to know to work with them. */
  readonly least: number
  /** That of the last migration. */
  readonly newest: number
}

/** How long others wait for a table that a migration waits for itself, ms. */
const LOCK_MS = 1_000
/** How long a migration waits for what keeps it, ms: another one, or who reads a table for long. */
const PATIENCE_MS = 120_000
const RETRY_MS = 200

/** Refuses tables that this Foreword cannot work with. Those that only have more than it knows are no reason. */
export async function refuseNewer(client: DatabaseClient, place: string): Promise<void> {
  const { least } = await readVersions(client)
  if (least <= knownVersion()) return
  throw new StoreError(
    'newer',
    `the store ${place} was made by a newer Foreword (its schema needs version ${least}, this one knows ${knownVersion()}); nothing was changed`,
    { hint: 'Update Foreword, or give this gateway another database.' },
  )
}

/** Refuses tables that lack what this Foreword needs. */
export async function refuseOlder(client: DatabaseClient, place: string): Promise<void> {
  const { newest } = await readVersions(client)
  if (newest >= knownVersion()) return
  throw new StoreError(
    'older',
    `the store ${place} was written by an older Foreword (its schema has version ${newest}, this one needs ${knownVersion()}): start the gateway once to bring it up to date`,
  )
}

/**
 * Brings the tables to the newest version while gateways of other versions work on them. Of several processes that want to, one does it,
 * and the others wait. Where one is killed, the next one goes on after the last version that was completed.
 *
 * @throws StoreError `busy`, `claimed` (a gateway works on them that does not know what they will be)
 */
export async function migrateTables(
  client: DatabaseClient,
  schema: string,
  place: string,
  clock: Clock,
): Promise<void> {
  if (missing(await readVersions(client)).length === 0) return
  const until = clock.monotonic() + PATIENCE_MS
  const lock = migrationLock(`'${schema}'`)
  // A statement that waits for the lock would keep its view of the database, and an index waits for all who have one.
  await untilDone(
    async () => (await client.execute(`select pg_try_advisory_lock(${lock}) as taken`))[0]!['taken'] === true,
  )
  for (const { indexes = {}, ...migration } of missing(await readVersions(client))) {
    for (const [name, on] of Object.entries(indexes)) await untilDone(() => makeIndex(client, schema, name, on))
    await untilDone(() => migrateOnce(client, schema, place, migration))
  }
  await client.execute(`select pg_advisory_unlock(${lock})`)

  async function untilDone(attempt: () => Promise<boolean>): Promise<void> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      if (await attempt().catch(isBusy)) return
      if (clock.monotonic() > until)
        throw new StoreError(
          'busy',
          `the tables of ${place} could not be brought up to date: another process is at them`,
          {
            hint: 'Wait for what reads them, such as pg_dump, then start the gateway again.',
          },
        )
      // oxlint-disable-next-line no-await-in-loop -- as above
      await clock.sleep(RETRY_MS)
    }
  }
}

/** What makes all tables of the newest version out of those of the first one. */
export const migrationsSql = (): string =>
  databaseMigrations
    .map(({ sql, indexes = {}, ...migration }) =>
      [...Object.entries(indexes).map(([name, on]) => `create index ${name} ${on}`), sql, setVersion(migration)].join(
        '; ',
      ),
    )
    .join('; ')

/** Of a store that is there. */
export async function readVersions(client: DatabaseClient): Promise<TableVersions> {
  // The row of an older store has fewer columns.
  const [found] = await client.execute('select cast(row_to_json(found) as text) as row from schema_version as found')
  const { version, newest } = JSON.parse(found!['row'] as string) as {
    readonly version: number
    readonly newest?: number
  }
  return { least: version, newest: newest ?? version }
}

const missing = ({ newest }: TableVersions) => databaseMigrations.filter(({ version }) => version > newest)

const setVersion = ({ version, knownTo }: Pick<DatabaseMigration, 'version' | 'knownTo'>) =>
  version < WITH_NEWEST
    ? `update schema_version set version = ${version}`
    : `update schema_version set version = greatest(version, ${knownTo}), newest = ${version}`
/** The version that has the column. */
const WITH_NEWEST = 3

/** Somebody else has a lock that was waited for, and what was begun is undone. */
function isBusy(error: unknown): false {
  if (error instanceof StoreError && error.code === 'busy') return false
  throw error
}

/** One transaction. */
async function migrateOnce(
  client: DatabaseClient,
  schema: string,
  place: string,
  { sql, ...migration }: DatabaseMigration,
): Promise<boolean> {
  await client.begin('', `set local lock_timeout = ${LOCK_MS}`)
  try {
    // Nobody takes the store meanwhile, and no Foreword of a version before this lock is at it.
    await client.execute(`select pg_advisory_xact_lock(${changeLock(`'${schema}'`)})`)
    if ((await readVersions(client)).newest < migration.version) {
      await refuseBefore(client, schema, place, migration)
      await client.execute(`${sql}; ${setVersion(migration)}`)
    }
    await client.commit()
    return true
  } catch (error) {
    if (!client.isLost) await client.execute('rollback').catch(() => {})
    throw error
  }
}

/** Refuses a change while a gateway has the store that would not understand it. One that has not, and waits, finds out itself. */
async function refuseBefore(
  client: DatabaseClient,
  schema: string,
  place: string,
  { knownTo }: Pick<DatabaseMigration, 'knownTo'>,
): Promise<void> {
  if ((await readVersions(client)).least >= knownTo) return
  const [lock] = await client.execute(`select pg_try_advisory_xact_lock(${ownerLock(`'${schema}'`)}) as free`)
  if (lock!['free'] === true) return
  const [found] = await client.execute(`select cast(row_to_json(gateway) as text) as row from gateways as gateway
    where id = (select gateway from ownership)`)
  const owner = JSON.parse((found?.['row'] as string | undefined) ?? '{}') as Partial<OwnerRow>
  if ((owner.tables ?? BEFORE_TABLES) >= knownTo) return
  const who = `${owner.version || 'another gateway'}${owner.address ? ` at ${owner.address}` : ''}`
  throw new StoreError(
    'claimed',
    `The tables of ${place} cannot be brought to what this Foreword needs while ${who} works: that one would not understand them.`,
    { hint: 'Stop every gateway of that version first. Or go by way of the version between, and nothing has to stop.' },
  )
}

interface OwnerRow {
  readonly version: string
  readonly address: string | null
  readonly tables: number | null
}

/** What a process knows that does not say so. */
const BEFORE_TABLES = 2

/** Makes an index while others write. One that is not valid is what a process left that was killed. */
async function makeIndex(client: DatabaseClient, schema: string, name: string, on: string): Promise<boolean> {
  const [found] = await client.execute(
    `select indisvalid from pg_index where indexrelid = to_regclass('"${schema}".${name}')`,
  )
  if (found?.['indisvalid'] === true) return true
  await client.execute(`drop index concurrently if exists ${name}`)
  await client.execute(`create index concurrently ${name} ${on}`)
  return true
}
