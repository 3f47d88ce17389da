import type { SqliteConnection } from '../../platform.ts'
import type { IndexProgress } from '../search-engine.ts'
import { PER_DOCUMENT } from './chunk-table.ts'

/** The collections and documents that a query may see. */
export interface ScopeFilter {
  readonly collections: readonly string[]
  readonly documents: readonly string[] | undefined
}

/** The versions of documents that a query may see. */
export interface SearchScope {
  /** Ascending. */
  readonly numbers: readonly number[]
  /** The same as JSON, for `json_each`. */
  readonly json: string
  readonly chunks: number
}

const MOST_CACHED = 16

/** Reads scopes and caches them until the index changes: most queries have one of a few filters. */
export function scopeReader(connection: SqliteConnection): (filter: ScopeFilter) => SearchScope {
  const cache = new Map<string, SearchScope>()
  let state = ''
  return (filter) => {
    const now = indexState(connection)
    if (now !== state) cache.clear()
    state = now
    const key = JSON.stringify([filter.collections, filter.documents])
    const scope = cache.get(key) ?? lookUp(connection, filter)
    if (cache.size >= MOST_CACHED) cache.clear()
    cache.set(key, scope)
    return scope
  }
}

function lookUp(connection: SqliteConnection, { collections, documents }: ScopeFilter): SearchScope {
  const rows = connection.all<{ readonly number: number; readonly chunks: number }>(
    `select number, chunks from documents where state = 'ready'
       and id in (select document from collections where collection in (select value from json_each(?1)))
       and (?2 is null or id in (select value from json_each(?2)))
     order by number`,
    jsonArray(collections),
    jsonArray(documents),
  )
  const numbers = rows.map((row) => row.number)
  return { numbers, json: JSON.stringify(numbers), chunks: rows.reduce((sum, row) => sum + row.chunks, 0) }
}

/** A parameter for `json_each`. */
function jsonArray(values: readonly string[] | undefined): string | null {
  return values === undefined ? null : JSON.stringify(values)
}

/** Differs after every change by this process or another one. */
function indexState(connection: SqliteConnection): string {
  const own = connection.get<{ readonly changes: number }>('select total_changes() as changes')
  const others = connection.get<{ readonly data_version: number }>('pragma data_version')
  return `${own?.changes} ${others?.data_version}`
}

/** Progress of the index, as a whole or in some collections. A document with an unfinished new version is not indexed. */
export function readProgress(
  connection: SqliteConnection,
  embedder: number | undefined,
  collections: readonly string[] | undefined,
): IndexProgress {
  const row = connection.get<IndexProgress>(counts, jsonArray(collections), embedder ?? NO_EMBEDDER)!
  return { documents: row.documents, indexed: row.indexed, chunks: row.chunks, embedded: row.embedded }
}

const NO_EMBEDDER = -1

const counts = `
  with
    seen as (
      select number, id, chunks, state, embedder from documents where state <> 'gone' and (
        ?1 is null or id in (select document from collections where collection in (select value from json_each(?1)))
      )
    ),
    ready as (select * from seen where state = 'ready')
  select
    (select count(distinct id) from seen) as documents,
    (select count(*) from ready) - (
      select count(*) from ready where exists (
        select 1 from documents d where d.id = ready.id and d.state = 'making'
      )
    ) as indexed,
    (select coalesce(sum(chunks), 0) from ready) as chunks,
    (
      select coalesce(sum(case when embedder = ?2 then chunks else (
        select count(*) from vectors v
        where v.embedder = ?2 and v.number between ready.number * ${PER_DOCUMENT} and (ready.number + 1) * ${PER_DOCUMENT} - 1
      ) end), 0) from ready
    ) as embedded`
