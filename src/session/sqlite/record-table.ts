import { sql } from 'kysely'
import { nextVersion, type RecordChange, type RecordVersion } from '../record.ts'
import type { StoreConnection } from './connection.ts'
import { columns, plan, type Parameter, type Tables, tables } from './tables.ts'

export function putRecord(connection: StoreConnection, change: RecordChange, time: string): RecordVersion {
  const version = nextVersion(change, readNewestRecord(connection, change.kind, change.id), time)
  connection.run(insertRecord, { ...version, value: JSON.stringify(version.value) })
  return version
}

export function readNewestRecord(connection: StoreConnection, kind: string, id: string): RecordVersion | undefined {
  const row = connection.get(newestVersion, { kind, id })
  return row && toVersion(row)
}

/** Newest first. */
export function readRecordVersions(connection: StoreConnection, kind: string, id: string): readonly RecordVersion[] {
  return connection.all(allVersions, { kind, id }).map(toVersion)
}

/** The newest versions of records that are not removed, in the order in which the records were created. */
export function readNewestRecords(connection: StoreConnection, kind: string): readonly RecordVersion[] {
  return connection.all(newestVersions, { kind }).map(toVersion)
}

/** The versions that removed a record which is not there now, in the order in which the records were created. */
export function readRemovedRecords(connection: StoreConnection, kind: string): readonly RecordVersion[] {
  return connection.all(removedVersions, { kind }).map(toVersion)
}

type Row = Omit<Tables['records'], 'number'>

function toVersion({ kind, id, version, time, value }: Row): RecordVersion {
  return { kind, id, version, time, value: JSON.parse(value) }
}

const insertRecord = plan((param: Parameter<Row>) =>
  tables.insertInto('records').values(columns(param, 'kind', 'id', 'version', 'time', 'value')),
)

const versions = tables.selectFrom('records').selectAll().orderBy('version', 'desc')

const allVersions = plan((param: Parameter<{ kind: string; id: string }>) =>
  versions.where('kind', '=', param('kind')).where('id', '=', param('id')),
)

const newestVersion = plan((param: Parameter<{ kind: string; id: string }>) =>
  versions.where('kind', '=', param('kind')).where('id', '=', param('id')).limit(sql.lit(1)),
)

/** The newest version of each record. They are ordered by their first version, which the index `records_made` finds. */
const newest = tables
  .selectFrom('records as first')
  .innerJoin('records as newest', (join) =>
    join
      .onRef('newest.kind', '=', 'first.kind')
      .onRef('newest.id', '=', 'first.id')
      .on('newest.version', '=', ({ selectFrom }) =>
        selectFrom('records as each')
          .select('each.version')
          .whereRef('each.kind', '=', 'first.kind')
          .whereRef('each.id', '=', 'first.id')
          .orderBy('each.version', 'desc')
          .limit(sql.lit(1)),
      ),
  )
  .selectAll('newest')
  .where('first.version', '=', sql.lit(1))
  .orderBy('first.number')

const newestVersions = plan((param: Parameter<{ kind: string }>) =>
  newest.where('first.kind', '=', param('kind')).where('newest.value', '<>', sql.lit('null')),
)

const removedVersions = plan((param: Parameter<{ kind: string }>) =>
  newest.where('first.kind', '=', param('kind')).where('newest.value', '=', sql.lit('null')),
)
