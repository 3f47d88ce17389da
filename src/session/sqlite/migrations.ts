import { existsSync } from 'node:fs'
import { inspectSqliteFile } from '../../platform.ts'
import { StoreError, storeFile } from '../store-error.ts'
import type { StoreConnection } from './connection.ts'
import { firstSchema } from './schema.ts'
import { get, statement } from '../tables/sql.ts'

/** Brings the tables from the version before to `version`. A released migration never changes. */
export interface Migration {
  readonly version: number
  readonly sql: string
}

/** Ascending, from version 2 on. */
export const allMigrations: readonly Migration[] = [
  {
    version: 2,
    sql: `
      -- The digest of the newest entry of the session. In all three tables rows from before have an empty one.
      alter table sessions add column chain text not null default '';
      -- Of the row and the digest of the entry before it.
      alter table entries add column digest text not null default '';
      alter table calls add column digest text not null default '';
      alter table calls add column outcome_digest text;
    `,
  },
  {
    version: 3,
    sql: `
      create index calls_answer on calls (outcome ->> '$.foreign.id') where outcome ->> '$.foreign.id' is not null;
    `,
  },
  {
    version: 4,
    sql: `
      -- Calls of other programs that were refused used nothing; before, it was not known what they used.
      update call_sums set prompt = 0, cached = 0, written = 0, output = 0
        where prompt is null and output is null and number in (
          select number from calls
            where outcome ->> '$.error' is not null and outcome ->> '$.usage' is null and outcome ->> '$.foreign' is not null
              and (outcome ->> '$.wire' is null or outcome ->> '$.foreign.status' >= 400));
    `,
  },
  {
    version: 5,
    sql: `
      -- What the provider says that the call cost, US dollars. Sums are read from the index alone.
      alter table call_sums add column cost real;
      drop index call_sums_time;
      create index call_sums_time
        on call_sums (time, number, session, model, used, prompt, cached, written, longer, output, cost);
    `,
  },
  {
    version: 6,
    // Nothing is rewritten, but a Foreword from before cannot read what is written from here on.
    sql: `
      -- The record of a call may be a difference to an earlier one of its session.
    `,
  },
  {
    version: 7,
    // Nothing is rewritten here either.
    sql: `
      -- A text that is too long for one row. The row that it belongs to has an empty text in its place, and in \`parts\` as JSON a list
      -- of [keys that lead to the place, number, rows, SHA-256].
      create table text_parts (
        number integer not null,
        part integer not null,
        text text not null,
        primary key (number, part)
      );
      alter table entries add column parts text;
      alter table contents add column parts text;
      create index entries_parts on entries (parts) where parts is not null;
      create index contents_parts on contents (parts) where parts is not null;
      create trigger entries_without_parts after delete on entries when old.parts is not null begin
        delete from text_parts where number in (select stored.value ->> 1 from json_each(old.parts) as stored);
      end;
      create trigger contents_without_parts after delete on contents when old.parts is not null begin
        delete from text_parts where number in (select stored.value ->> 1 from json_each(old.parts) as stored);
      end;
    `,
  },
  {
    version: 8,
    sql: `
      -- The records since a time, and the few sessions of a state: without these, all of them were looked at.
      create index audit_time on audit (time);
      create index sessions_new on sessions (updated, id) where state = 'new';
      create index sessions_failed on sessions (updated, id) where state = 'failed';
    `,
  },
]

const FIRST_VERSION = 1
/** In the header of every store since 0.2.0: versions are counted from there. "FwSt" in ASCII. */
const APPLICATION = 0x46775374

/**
 * Refuses a store that this Foreword cannot open: one that was made before 0.2.0, one of a newer version, and a database of another
 * program. Writes nothing, not even a log beside the file.
 *
 * @throws StoreError `older`, `newer`, `corrupt`
 */
export function refuseOtherVersions(path: string, migrations = allMigrations): void {
  if (!existsSync(path)) return
  inspectSqliteFile(path, storeFile, (database) => {
    const names = database.prepare("select name from sqlite_schema where type = 'table'").all()
    const application = Object.values(database.prepare('pragma application_id').get() ?? {})[0]
    if (names.length === 0) return
    if (application !== APPLICATION) {
      if (!names.some(({ name }) => name === 'schema_version')) {
        throw new StoreError('corrupt', `the file ${path} is not a store: move it away, or name another home`)
      }
      throw new StoreError(
        'older',
        `the store ${path} was made before Foreword 0.2.0 and cannot be opened by this version; nothing was changed`,
        { hint: WAY_OUT },
      )
    }
    const found = Number(database.prepare('select version from schema_version').get()?.['version'])
    const newest = newestVersion(migrations)
    if (found > newest) {
      throw new StoreError(
        'newer',
        `the store ${path} was made by a newer Foreword (its schema has version ${found}, this one knows ${newest}); nothing was changed`,
        { hint: `Update Foreword. Or stay with this version: ${WAY_OUT[0]!.toLowerCase()}${WAY_OUT.slice(1)}` },
      )
    }
  })
}

const WAY_OUT =
  'List the sessions with the version that made the store (`foreword sessions`), export each with it (`foreword sessions export ID ' +
  '--output FILE`), and import them with this one into a new home (`foreword sessions import FILE --home NEW_HOME`).'

/**
 * Creates the tables of an empty store in one transaction, and brings those of an earlier version to the newest one: one transaction
 * for each version, so that an interrupted migration continues at the next start. Two processes may do so at once: the second finds the
 * work done.
 *
 * @throws StoreError `older` when the store may only be read and is not up to date
 */
export function migrate(connection: StoreConnection, migrations = allMigrations): void {
  const newest = newestVersion(migrations)
  const found = readVersion(connection)
  if (found === newest) return
  if (connection.readOnly) {
    throw new StoreError(
      'older',
      `the store ${connection.path} was written by an older Foreword (its schema has version ${found}, this one needs ${newest}): start the gateway once to bring it up to date`,
    )
  }
  const first = { version: FIRST_VERSION, sql: `${firstSchema} pragma application_id = ${APPLICATION};` }
  const steps = [first, ...migrations]
  for (const together of found === 0 ? [steps] : steps.map((step) => [step])) {
    connection.transaction(() => {
      const now = readVersion(connection)
      const missing = together.filter(({ version }) => version > now)
      if (missing.length === 0) return
      const after = `delete from schema_version; insert into schema_version values (${missing.at(-1)!.version})`
      connection.execute([...missing.map(({ sql }) => sql), after].join(';\n'))
    })
  }
}

function newestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? FIRST_VERSION
}

function readVersion(connection: StoreConnection): number {
  return connection.work(get(anyTable, {})) ? connection.work(get(storedVersion, {}))!.version : 0
}

const anyTable = statement<object, object>("select 1 from sqlite_schema where name = 'schema_version'")
const storedVersion = statement<object, { version: number }>('select version from schema_version')
