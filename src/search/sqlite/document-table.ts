import type { SqliteConnection } from '../../platform.ts'
import type { IndexedDocument, KnownDocument } from '../search-engine.ts'
import { SearchError } from '../search-error.ts'

export interface DocumentRow {
  readonly number: number
  readonly id: string
  readonly digest: string
  readonly title: string
  readonly url: string | null
  readonly updated: string | null
  readonly length: number
}

const columns = 'number, id, digest, title, url, updated, length'

/** The version of a document that queries find. */
export function readyDocument(connection: SqliteConnection, id: string): DocumentRow | undefined {
  return connection.get<DocumentRow>(`select ${columns} from documents where id = ? and state = 'ready'`, id)
}

export function documentAt(connection: SqliteConnection, number: number): DocumentRow | undefined {
  return connection.get<DocumentRow>(`select ${columns} from documents where number = ? and state = 'ready'`, number)
}

/** Begins a version that queries do not find yet. Returns its number. */
export function beginDocument(connection: SqliteConnection, document: IndexedDocument): number {
  const row = connection.get<{ readonly number: number }>(
    `insert into documents (id, digest, title, url, updated, length, chunks, state)
     values (?, ?, ?, ?, ?, ?, 0, 'making') returning number`,
    document.id,
    document.digest,
    document.title,
    document.url ?? null,
    document.updated ?? null,
    document.text.length,
  )
  if (!readyDocument(connection, document.id)) setCollections(connection, document.id, document.collections)
  return row!.number
}

/**
 * Publishes this version in its collections; the previous one is no longer found.
 *
 * @throws SearchError `conflict` if another process has removed it in the meantime
 */
export function publishDocument(
  connection: SqliteConnection,
  number: number,
  chunks: number,
  document: IndexedDocument,
): void {
  connection.run(`update documents set state = 'gone' where id = ? and state = 'ready'`, document.id)
  const row = connection.get(
    `update documents set state = 'ready', chunks = ? where number = ? and state = 'making' returning number`,
    chunks,
    number,
  )
  if (!row) {
    throw new SearchError('conflict', 'another process works on the same search index: let one of them index at a time')
  }
  setCollections(connection, document.id, document.collections)
}

/** Updates what may change without the text. */
export function describeDocument(connection: SqliteConnection, number: number, document: IndexedDocument): void {
  connection.run(
    'update documents set url = ?, updated = ? where number = ?',
    document.url ?? null,
    document.updated ?? null,
    number,
  )
  setCollections(connection, document.id, document.collections)
}

/** Whether an update would change nothing: a start that passes every document again then writes nothing. */
export function isDescribed(connection: SqliteConnection, known: DocumentRow, document: IndexedDocument): boolean {
  const collections = connection
    .all<{ readonly collection: string }>('select collection from collections where document = ?', known.id)
    .map((row) => row.collection)
  const wanted = new Set(document.collections)
  return (
    known.url === (document.url ?? null) &&
    known.updated === (document.updated ?? null) &&
    collections.length === wanted.size &&
    collections.every((collection) => wanted.has(collection))
  )
}

export function setCollections(connection: SqliteConnection, document: string, collections: readonly string[]): void {
  connection.run('delete from collections where document = ?', document)
  for (const collection of new Set(collections)) {
    connection.run('insert into collections (document, collection) values (?, ?)', document, collection)
  }
}

/** Withdraws a document from all queries. Returns whether it was there. */
export function withdrawDocument(connection: SqliteConnection, id: string): boolean {
  setCollections(connection, id, [])
  return (
    connection.get(`update documents set state = 'gone' where id = ? and state = 'ready' returning number`, id) !==
    undefined
  )
}

/** Versions that no query finds: abandoned, replaced or removed ones. Of one document, or all. */
export function strayDocuments(connection: SqliteConnection, id?: string): readonly number[] {
  const rows = connection.all<{ readonly number: number }>(
    `select number from documents where state <> 'ready' ${id === undefined ? '' : 'and id = ?'} order by number`,
    ...(id === undefined ? [] : [id]),
  )
  return rows.map((row) => row.number)
}

/** Every document that can be found, by id. */
export function listDocuments(connection: SqliteConnection): readonly KnownDocument[] {
  const rows = connection.all<{ readonly id: string; readonly digest: string; readonly collections: string }>(
    `select id, digest, (
       select json_group_array(collection order by collection) from collections where document = id
     ) as collections
     from documents where state = 'ready' order by id`,
  )
  return rows.map(({ id, digest, collections }) => ({ id, digest, collections: JSON.parse(collections) as string[] }))
}
