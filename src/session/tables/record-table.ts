import { columnsOf } from './stored-tables.ts'
import { nextVersion, type RecordChange, type RecordVersion } from '../record.ts'
import { all, get, insertInto, run, type Sql, statement } from './sql.ts'

export function* putRecord(change: RecordChange, time: string): Sql<RecordVersion> {
  const version = nextVersion(change, yield* readNewestRecord(change.kind, change.id), time)
  yield* run(insertRecord, { ...version, value: JSON.stringify(version.value) }, 'unread')
  return version
}

export function* readNewestRecord(kind: string, id: string): Sql<RecordVersion | undefined> {
  const row = yield* get(newestVersion, { kind, id })
  return row && toVersion(row)
}

/** Newest first. */
export function* readRecordVersions(kind: string, id: string): Sql<readonly RecordVersion[]> {
  return (yield* all(allVersions, { kind, id })).map(toVersion)
}

/** The newest version of each record that was not removed, or of each that was. */
export function* readRecords(kind: string, { removed = false } = {}): Sql<readonly RecordVersion[]> {
  return (yield* all(removed ? removedVersions : newestVersions, { kind })).map(toVersion)
}

type Row = Omit<RecordVersion, 'value'> & { readonly value: string }

function toVersion({ kind, id, version, time, value }: Row): RecordVersion {
  return { kind, id, version, time, value: JSON.parse(value) }
}

const insertRecord = statement<Row>(insertInto('records', ['kind', 'id', 'version', 'time', 'value']))
const allVersions = statement<{ kind: string; id: string }, Row>(
  `select ${columnsOf('records')} from records where kind = :kind and id = :id order by version desc`,
)
const newestVersion = statement<{ kind: string; id: string }, Row>(
  `select ${columnsOf('records')} from records where kind = :kind and id = :id order by version desc limit 1`,
)

/** The newest version of each record. They are ordered by their first version, which the index `records_made` finds. */
const newest = (condition: string) =>
  statement<{ kind: string }, Row>(
    `select ${columnsOf('records', 'newest.')} from records as first
      join records as newest on newest.kind = first.kind and newest.id = first.id and newest.version =
        (select version from records where kind = first.kind and id = first.id order by version desc limit 1)
      where first.version = 1 and first.kind = :kind and ${condition} order by first.number`,
  )
const newestVersions = newest("newest.value <> 'null'")
const removedVersions = newest("newest.value = 'null'")
