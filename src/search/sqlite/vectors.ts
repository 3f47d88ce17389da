import type { Clock, SqliteConnection } from '../../platform.ts'
import { documentNumber, chunkNumberRange, PER_DOCUMENT } from './chunk-table.ts'

/** Finds chunks by their vectors: a plain loop over the documents that a query may see. */
export type VectorList = ReturnType<typeof vectorList>

interface NearestLimits {
  readonly limit: number
  /** The most chunks of one document. */
  readonly perDocument: number
  /** The least cosine. */
  readonly floor: number
}

/** A chunk in one list of candidates, best first. `value` is what the list measured: higher is better. */
export interface ChunkCandidate {
  readonly number: number
  readonly value: number
}

/** Time of one slice of work before other work may run, ms. */
const SLICE_MS = 5

/** Caches vectors in memory, up to `maxBytes`; the least recently used are dropped first. */
export function vectorList(
  clock: Clock,
  connection: SqliteConnection,
  currentEmbedder: () => EmbedderRow | undefined,
  maxBytes: number,
) {
  const blocks = new Map<number, VectorBlock>()
  let bytes = 0
  return {
    /** The `limit` chunks of these documents with the highest cosine to `query`, best first. */
    nearest,
    /** Drops the cached vectors of these documents, or of all. */
    forget,
  }

  async function nearest(
    query: Float32Array,
    documents: readonly number[],
    { limit, perDocument, floor: least }: NearestLimits,
  ) {
    let found: ChunkCandidate[] = []
    let floor = least
    let began = clock.monotonic()
    for (const document of documents) {
      const block = cachedBlock(document)
      if (!block) break
      found.push(...nearestIn(block, query, perDocument, floor))
      // Truncated now and then, so that chunks which can no longer be among the best are skipped.
      if (found.length >= limit * 4) {
        found = bestFirst(found).slice(0, limit)
        floor = found.at(-1)!.value
      }
      if (clock.monotonic() - began < SLICE_MS) continue
      await clock.yield()
      began = clock.monotonic()
    }
    return bestFirst(found).slice(0, limit)
  }

  function forget(documents: Iterable<number> = [...blocks.keys()]): void {
    for (const document of documents) drop(document)
  }

  function cachedBlock(document: number): VectorBlock | undefined {
    const known = blocks.get(document)
    if (known) {
      blocks.delete(document)
      blocks.set(document, known)
      return known
    }
    const embedder = currentEmbedder()
    if (!embedder) return undefined
    const block = readVectors(connection, embedder, document)
    blocks.set(document, block)
    bytes += blockBytes(block)
    for (const oldest of blocks.keys()) {
      if (bytes <= maxBytes) break
      drop(oldest)
    }
    return block
  }

  function drop(document: number): void {
    const block = blocks.get(document)
    if (!block) return
    blocks.delete(document)
    bytes -= blockBytes(block)
  }
}

function bestFirst(candidates: readonly ChunkCandidate[]): ChunkCandidate[] {
  return candidates.toSorted((a, b) => b.value - a.value || a.number - b.number)
}

/** Memory of a block in bytes, with the map entry and the objects. */
function blockBytes(block: VectorBlock): number {
  return block.vectors.byteLength + block.numbers.byteLength + 256
}

/** The best of one document that are above `floor`. */
function nearestIn(
  { numbers, vectors }: VectorBlock,
  query: Float32Array,
  limit: number,
  floor: number,
): readonly ChunkCandidate[] {
  const best: ChunkCandidate[] = []
  const { length } = query
  for (let index = 0; index < numbers.length; index += 1) {
    const value = dotProduct(vectors, index * length, query)
    if (!(value > floor) || (best.length === limit && value <= best.at(-1)!.value)) continue
    if (best.length === limit) best.pop()
    let place = best.length
    while (place > 0 && best[place - 1]!.value < value) place -= 1
    best.splice(place, 0, { number: numbers[index]!, value })
  }
  return best
}

/** The cosine, since both have length 1. */
function dotProduct(vectors: Float32Array, offset: number, query: Float32Array): number {
  let sum = 0
  for (let at = 0; at < query.length; at += 1) sum += vectors[offset + at]! * query[at]!
  return sum
}

/** An embedding model of the index. */
export interface EmbedderRow {
  readonly number: number
  /** Length of its vectors; null until there is one. */
  readonly dimensions: number | null
}

export function embedderRow(connection: SqliteConnection, id: string): EmbedderRow | undefined {
  return connection.get<EmbedderRow>('select number, dimensions from embedders where id = ?', id)
}

export function makeEmbedderRow(connection: SqliteConnection, id: string): EmbedderRow {
  connection.run('insert into embedders (id) values (?) on conflict do nothing', id)
  return embedderRow(connection, id)!
}

/** Discards the vectors of a model whose vectors have a new length. */
export function startOver(connection: SqliteConnection, { number }: EmbedderRow, dimensions: number): EmbedderRow {
  connection.run('delete from vectors where embedder = ?', number)
  connection.run('update documents set embedder = null where embedder = ?', number)
  connection.run('update embedders set dimensions = ? where number = ?', dimensions, number)
  return { number, dimensions }
}

/** A chunk without a vector, with the title of its document. */
export interface Unembedded {
  readonly number: number
  readonly start: number
  readonly end: number
  readonly headings: string
  readonly title: string
}

/** The next chunks behind `after` without a vector of this model, oldest first. */
export function unembedded(
  connection: SqliteConnection,
  embedder: number,
  after: number,
  limit: number,
): readonly Unembedded[] {
  return connection.all<Unembedded>(
    // `cross join` keeps the order: documents first, and only the chunks of those that lack vectors.
    `select c.number, c.start, c."end", c.headings, d.title
     from documents d
     cross join chunks c on c.number between max(?2 + 1, d.number * ${PER_DOCUMENT}) and (d.number + 1) * ${PER_DOCUMENT} - 1
     where d.number >= ?4 and d.state = 'ready' and d.embedder is not ?1
       and not exists (select 1 from vectors v where v.number = c.number and v.embedder = ?1)
     order by d.number, c.number limit ?3`,
    embedder,
    after,
    limit,
    documentNumber(after),
  )
}

/** Stores a vector of length 1, unless its chunk was removed. An empty vector marks a refused text. */
export function writeVector(
  connection: SqliteConnection,
  embedder: number,
  number: number,
  vector: Float32Array,
): void {
  connection.run(
    `insert into vectors (number, embedder, vector) select number, ?2, ?3 from chunks where number = ?1
     on conflict (number) do update set embedder = excluded.embedder, vector = excluded.vector`,
    number,
    embedder,
    new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
  )
}

/** Marks the documents with all their vectors, so that they are not searched for missing ones again. */
export function noteEmbedded(connection: SqliteConnection, embedder: number, documents: Iterable<number>): void {
  for (const document of documents) {
    connection.run(
      `update documents set embedder = ?1 where number = ?2 and state = 'ready'
         and chunks = (select count(*) from vectors where number between ?3 and ?4 and embedder = ?1)`,
      embedder,
      document,
      ...chunkNumberRange(document),
    )
  }
}

/** A document's vectors, one after the other, and the numbers of their chunks. */
interface VectorBlock {
  readonly numbers: Float64Array
  readonly vectors: Float32Array
}

function readVectors(connection: SqliteConnection, embedder: EmbedderRow, document: number): VectorBlock {
  const dimensions = embedder.dimensions ?? 0
  const rows = connection
    .all<{ readonly number: number; readonly vector: Uint8Array }>(
      'select number, vector from vectors where number between ? and ? and embedder = ? order by number',
      ...chunkNumberRange(document),
      embedder.number,
    )
    .filter((row) => row.vector.byteLength === dimensions * Float32Array.BYTES_PER_ELEMENT)
  const vectors = new Float32Array(rows.length * dimensions)
  const bytes = new Uint8Array(vectors.buffer)
  rows.forEach((row, index) => bytes.set(row.vector, index * row.vector.byteLength))
  return { numbers: Float64Array.from(rows, (row) => row.number), vectors }
}
