import type { Clock } from '../../platform.ts'
import { databaseName, schemaOf } from './address.ts'
import { type DatabaseClient, openClient, type PostgresAddress } from './client.ts'
import { readVersions, type TableVersions } from './migrate-tables.ts'
import { openObjectBytes } from './object-bytes.ts'
import { readHolder } from './ownership.ts'
import { areOne, OLDEST_SERVER } from './prepare-tables.ts'
import { knownVersion } from './schema.ts'

/** What a database is to a gateway that would use it. */
export interface DatabaseFacts {
  /** Its address without the password. */
  readonly place: string
  /** Such as `17.6`. */
  readonly version: string
  readonly isTooOld: boolean
  /** Whether its tables are there. */
  readonly hasStore: boolean
  /** What its user may not do that a gateway has to. Empty where nothing is missing. */
  readonly missingRights: readonly string[]
  /** A pooler gives each transaction another connection, so that locks and prepared statements are lost between two of them. */
  readonly isPooled: boolean
  /** Whether what is sent to it is encrypted, or stays on this machine. */
  readonly isPrivate: boolean
  /** The versions of its tables, and the newest one that this Foreword knows. Absent where they cannot be read. */
  readonly tables?: TableVersions & { readonly known: number }
  /** The gateway that writes to it now, in words. */
  readonly holder?: string
}

/** Looks at a database, and at the bucket beside it, and changes nothing. @throws StoreError `io` where one cannot be reached, with a hint */
export async function databaseFacts(at: PostgresAddress, clock: Clock): Promise<DatabaseFacts> {
  const schema = schemaOf(at)
  if (at.files !== undefined) await openObjectBytes(at.files, schema, clock).examine()
  const one = await openClient(at)
  try {
    const other = await openClient(at)
    try {
      const [row] = await one.execute(facts(schema))
      const found = row as unknown as FactsRow
      const holder = await one.work(readHolder())
      const rights = await missingRights(one, schema, found)
      const canRead = found.has_store && rights.length === 0
      return {
        place: databaseName(at),
        version: found.version,
        isTooOld: Number.parseInt(found.version, 10) < OLDEST_SERVER,
        hasStore: found.has_store,
        missingRights: rights,
        isPooled: await areOne(one, other),
        isPrivate: found.is_local || found.is_encrypted,
        ...(canRead && { tables: { ...(await readVersions(one)), known: knownVersion() } }),
        ...(holder !== undefined && { holder: holder.words }),
      }
    } finally {
      await other.end()
    }
  } finally {
    await one.end()
  }
}

interface FactsRow {
  readonly version: string
  readonly has_store: boolean
  readonly may_create: boolean
  readonly is_local: boolean
  readonly is_encrypted: boolean
}

const facts = (schema: string) => `
  select current_setting('server_version') as version,
    exists (select from pg_tables where schemaname = '${schema}' and tablename = 'schema_version') as has_store,
    coalesce((select has_schema_privilege(oid, 'create, usage') from pg_namespace where nspname = '${schema}'),
      has_database_privilege(current_database(), 'create')) as may_create,
    coalesce(inet_server_addr() = inet_client_addr(), true) as is_local,
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as is_encrypted`

/** Of a store that is there, the rights on its tables count. */
async function missingRights(client: DatabaseClient, schema: string, found: FactsRow): Promise<readonly string[]> {
  if (!found.has_store) return found.may_create ? [] : [`create the schema ${schema}, or tables in it`]
  const [row] = await client.execute(`
    select has_schema_privilege('${schema}', 'usage') as may_use, (select coalesce(bool_and(
        has_table_privilege(c.oid, 'select, insert, update, delete')), true)
      from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
      where n.nspname = '${schema}' and c.relkind = 'r') as may_write`)
  const { may_use, may_write } = row as { readonly may_use: boolean; readonly may_write: boolean }
  return [...(may_use ? [] : [`use the schema ${schema}`]), ...(may_write ? [] : [`write to the tables of ${schema}`])]
}
