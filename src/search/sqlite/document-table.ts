import type { IndexedDocument, KnownDocument } from '../engine.ts'
import { SearchError } from '../search-error.ts'
import type { Connection } from './connection.ts'

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

/** The version of a document that is found. */
export function readyDocument(connection: Connection, id: string): DocumentRow | undefined {
  return connection.get<DocumentRow>(`select ${columns} from documents where id = ? and state = 'ready'`, id)
}

export function documentAt(connection: Connection, number: number): DocumentRow | undefined {
  return connection.get<DocumentRow>(`select ${columns} from documents where number = ? and state = 'ready'`, number)
}

/** Begins a version that nobody finds yet. Answers its number. */
export function beginDocument(connection: Connection, document: IndexedDocument): number {
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
 * From now on this version is the one that is found, in these collections, and the one before is gone.
 *
 * @throws SearchError `conflict` when another process has cleared it away meanwhile
 */
export function publishDocument(
  connection: Connection,
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

/** What may change without the text. */
export function describeDocument(connection: Connection, number: number, document: IndexedDocument): void {
  connection.run(
    'update documents set url = ?, updated = ? where number = ?',
    document.url ?? null,
    document.updated ?? null,
    number,
  )
  setCollections(connection, document.id, document.collections)
}

/** Whether nothing of that would change: a start that hands in every document again then waits for no disk. */
export function isDescribed(connection: Connection, known: DocumentRow, document: IndexedDocument): boolean {
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

export function setCollections(connection: Connection, document: string, collections: readonly string[]): void {
  connection.run('delete from collections where document = ?', document)
  for (const collection of new Set(collections)) {
    connection.run('insert into collections (document, collection) values (?, ?)', document, collection)
  }
}

/** Nobody finds it any more. Answers whether anybody did. */
export function withdrawDocument(connection: Connection, id: string): boolean {
  setCollections(connection, id, [])
  return (
    connection.get(`update documents set state = 'gone' where id = ? and state = 'ready' returning number`, id) !==
    undefined
  )
}

/** Versions that nobody finds: what was given up, replaced or removed. Of one document, or all. */
export function strayDocuments(connection: Connection, id?: string): readonly number[] {
  const rows = connection.all<{ readonly number: number }>(
    `select number from documents where state <> 'ready' ${id === undefined ? '' : 'and id = ?'} order by number`,
    ...(id === undefined ? [] : [id]),
  )
  return rows.map((row) => row.number)
}

/** Every document that can be found, by id. */
export function documentsOf(connection: Connection): readonly KnownDocument[] {
  const rows = connection.all<{ readonly id: string; readonly digest: string; readonly collections: string }>(
    `select id, digest, (
       select json_group_array(collection order by collection) from collections where document = id
     ) as collections
     from documents where state = 'ready' order by id`,
  )
  return rows.map(({ id, digest, collections }) => ({ id, digest, collections: JSON.parse(collections) as string[] }))
}
