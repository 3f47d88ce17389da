import type { IndexProgress } from '../engine.ts'
import type { Connection } from './connection.ts'
import { PER_DOCUMENT } from './numbering.ts'
import { jsonOf } from './sight.ts'

/** How far the index has come, as a whole or in some collections. A document whose new version is on the way is not indexed. */
export function progressOf(
  connection: Connection,
  embedder: number | undefined,
  collections: readonly string[] | undefined,
): IndexProgress {
  const row = connection.get<IndexProgress>(counts, jsonOf(collections), embedder ?? NO_EMBEDDER)!
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
