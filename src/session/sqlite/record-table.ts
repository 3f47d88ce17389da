import { sql } from 'kysely'
import { nextVersion, type RecordChange, type RecordVersion } from '../record.ts'
import type { Connection } from './connection.ts'
import { plan, type Slot } from './plan.ts'
import { type Tables, tables } from './tables.ts'

export function putRecord(connection: Connection, change: RecordChange, time: string): RecordVersion {
  const version = nextVersion(change, record(connection, change.kind, change.id), time)
  connection.run(insertRecord, { ...version, value: JSON.stringify(version.value) })
  return version
}

export function record(connection: Connection, kind: string, id: string): RecordVersion | undefined {
  const row = connection.get(newestVersion, { kind, id })
  return row && recordOf(row)
}

/** Newest first. */
export function recordVersions(connection: Connection, kind: string, id: string): readonly RecordVersion[] {
  return connection.all(allVersions, { kind, id }).map(recordOf)
}

/** Of those that are not removed, in the order in which they were made. */
export function records(connection: Connection, kind: string): readonly RecordVersion[] {
  return connection.all(newestVersions, { kind }).map(recordOf)
}

type Row = Omit<Tables['records'], 'number'>

function recordOf({ kind, id, version, time, value }: Row): RecordVersion {
  return { kind, id, version, time, value: JSON.parse(value) }
}

const insertRecord = plan((slot: Slot<Row>) =>
  tables.insertInto('records').values({
    kind: slot('kind'),
    id: slot('id'),
    version: slot('version'),
    time: slot('time'),
    value: slot('value'),
  }),
)

const versions = tables.selectFrom('records').selectAll().orderBy('version', 'desc')

const allVersions = plan((slot: Slot<{ kind: string; id: string }>) =>
  versions.where('kind', '=', slot('kind')).where('id', '=', slot('id')),
)

const newestVersion = plan((slot: Slot<{ kind: string; id: string }>) =>
  versions.where('kind', '=', slot('kind')).where('id', '=', slot('id')).limit(sql.lit(1)),
)

/** A record was made with its first version, which the index `records_made` finds in order. */
const newestVersions = plan((slot: Slot<{ kind: string }>) =>
  tables
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
    .where('first.kind', '=', slot('kind'))
    .where('first.version', '=', sql.lit(1))
    .where('newest.value', '<>', sql.lit('null'))
    .orderBy('first.number'),
)
