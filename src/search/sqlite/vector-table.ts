import type { Connection } from './connection.ts'
import { documentOf, numbersOf, PER_DOCUMENT } from './numbering.ts'

/** The model that vectors are of, as the index numbers it. */
export interface EmbedderRow {
  readonly number: number
  /** Of its vectors; null until there is one. */
  readonly dimensions: number | null
}

export function embedderRow(connection: Connection, id: string): EmbedderRow | undefined {
  return connection.get<EmbedderRow>('select number, dimensions from embedders where id = ?', id)
}

export function makeEmbedderRow(connection: Connection, id: string): EmbedderRow {
  connection.run('insert into embedders (id) values (?) on conflict do nothing', id)
  return embedderRow(connection, id)!
}

/** The model's vectors have another length from now on: those that are there are of no use. */
export function startOver(connection: Connection, { number }: EmbedderRow, dimensions: number): EmbedderRow {
  connection.run('delete from vectors where embedder = ?', number)
  connection.run('update documents set embedder = null where embedder = ?', number)
  connection.run('update embedders set dimensions = ? where number = ?', dimensions, number)
  return { number, dimensions }
}

/** A chunk without a vector, with what its document is called. */
export interface Unembedded {
  readonly number: number
  readonly start: number
  readonly end: number
  readonly headings: string
  readonly title: string
}

/** The next chunks behind `after` without a vector of this model, oldest first. */
export function unembedded(
  connection: Connection,
  embedder: number,
  after: number,
  limit: number,
): readonly Unembedded[] {
  return connection.all<Unembedded>(
    // `cross join` holds on to the order: documents first, and only the chunks of those that lack some.
    `select c.number, c.start, c."end", c.headings, d.title
     from documents d
     cross join chunks c on c.number between max(?2 + 1, d.number * ${PER_DOCUMENT}) and (d.number + 1) * ${PER_DOCUMENT} - 1
     where d.number >= ?4 and d.state = 'ready' and d.embedder is not ?1
       and not exists (select 1 from vectors v where v.number = c.number and v.embedder = ?1)
     order by d.number, c.number limit ?3`,
    embedder,
    after,
    limit,
    documentOf(after),
  )
}

/** Keeps a vector, of length 1, unless its chunk has gone meanwhile. An empty one: the model did not take the text. */
export function writeVector(connection: Connection, embedder: number, number: number, vector: Float32Array): void {
  connection.run(
    `insert into vectors (number, embedder, vector) select number, ?2, ?3 from chunks where number = ?1
     on conflict (number) do update set embedder = excluded.embedder, vector = excluded.vector`,
    number,
    embedder,
    new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
  )
}

/** Notes which of these documents have all their vectors, so that nobody looks for missing ones again. */
export function noteEmbedded(connection: Connection, embedder: number, documents: Iterable<number>): void {
  for (const document of documents) {
    connection.run(
      `update documents set embedder = ?1 where number = ?2 and state = 'ready'
         and chunks = (select count(*) from vectors where number between ?3 and ?4 and embedder = ?1)`,
      embedder,
      document,
      ...numbersOf(document),
    )
  }
}

/** A document's vectors, one after the other, and the chunks that they belong to. */
export interface VectorBlock {
  readonly numbers: Float64Array
  readonly vectors: Float32Array
}

export function readVectors(connection: Connection, embedder: EmbedderRow, document: number): VectorBlock {
  const dimensions = embedder.dimensions ?? 0
  const rows = connection
    .all<{ readonly number: number; readonly vector: Uint8Array }>(
      'select number, vector from vectors where number between ? and ? and embedder = ? order by number',
      ...numbersOf(document),
      embedder.number,
    )
    .filter((row) => row.vector.byteLength === dimensions * Float32Array.BYTES_PER_ELEMENT)
  const vectors = new Float32Array(rows.length * dimensions)
  const bytes = new Uint8Array(vectors.buffer)
  rows.forEach((row, index) => bytes.set(row.vector, index * row.vector.byteLength))
  return { numbers: Float64Array.from(rows, (row) => row.number), vectors }
}
