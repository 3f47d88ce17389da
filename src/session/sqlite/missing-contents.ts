import { readSqliteFile } from '../../platform.ts'
import type { MissingContent } from '../store-driver.ts'
import { storeFile } from './store-file.ts'

/**
 * Contents of an SQLite file that are named and missing, by their hash. What people and models wrote is not searched: a
 * text may quote a digest. What was removed with the session whose words it held is not missing.
 *
 * @throws StoreError `busy`, `corrupt`, `io`
 */
export function missingContents(path: string): readonly MissingContent[] {
  return readSqliteFile(path, storeFile, (database) =>
    database
      .prepare(MISSING)
      .all()
      .map(({ hash, place }) => ({ hash: String(hash), place: String(place) })),
  )
}

/** Every place that refers to a content as `sha256:HASH`. */
const MISSING = `
  with named (reference, place) as (
    select part.value, 'call ' || calls.id
      from calls, json_tree(calls.record, '$.input') as part where part.type = 'text'
    union all
    select json_extract(data, '$.stored.content'), 'entry ' || seq || ' of session ' || session
      from entries where type = 'tool-end'
    union all
    select json_extract(file.value, '$.content'), 'entry ' || entries.seq || ' of session ' || entries.session
      from entries, json_each(entries.data, '$.attachments') as file where entries.type = 'input'
    union all
    select json_extract(state, '$.reading.content'), 'file ' || id from files
    union all
    select part.value, 'proposal ' || records.id
      from records, json_tree(records.value, '$.stage') as part
      where records.kind = 'proposal' and part.key in ('before', 'after')
  )
  select substr(reference, 8) as hash, min(place) as place
    from named left join contents on contents.hash = substr(reference, 8)
    where length(reference) = 71 and reference glob 'sha256:*' and contents.hash is null
      and not exists (select 1 from named_values where key = 'content-of/' || substr(reference, 8) and value = '[]')
    group by reference order by reference`
