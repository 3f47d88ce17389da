import { type Clock, defined, errorMessage, orAborted, type SqliteConnection } from '../../platform.ts'
import { embedderName, unitVector } from '../embedder/vectors.ts'
import type { Embedder, MeaningSettings, SearchAnswer, SearchHit, SearchQuery, SearchMethod } from '../search-engine.ts'
import { splitWords } from '../words.ts'
import { documentNumber, PER_DOCUMENT, readChunk } from './chunk-table.ts'
import { documentAt } from './document-table.ts'
import type { NoiseFloor } from './noise-floor.ts'
import type { SearchScope, ScopeFilter } from './search-scope.ts'
import type { ChunkCandidate, EmbedderRow, VectorList } from './vectors.ts'

interface SearchDependencies {
  readonly clock: Clock
  readonly connection: SqliteConnection
  readonly readScope: (visible: ScopeFilter) => SearchScope
  readonly vectors: VectorList
  readonly embedder: Embedder | undefined
  readonly meaning: MeaningSettings & { readonly weight: number }
  /** Measures the floor where none is set. Absent without an embedding model. */
  readonly noise: NoiseFloor | undefined
  readonly currentEmbedder: () => EmbedderRow | undefined
  readonly embedderTimeoutMs: number
  readonly closing: AbortSignal
  readonly onWarning: (message: string) => void
  /** Called after each call of the model: `undefined` where it answered, else why it did not. */
  readonly onModel: (fault: string | undefined) => void
}

const DEFAULT_LIMIT = 10
const DEFAULT_PER_DOCUMENT = 3
/** The fewest candidates of each list that are combined: one in the middle of both lists may come first. */
const DEPTH = 100
/** Factor of hits per document in a list: each list may prefer other parts of a document. */
const PER_DOCUMENT_SLACK = 2

/** Searches the documents of a query. Without a vector in time it searches by words alone and reports why. */
export async function searchDocuments(dependencies: SearchDependencies, query: SearchQuery): Promise<SearchAnswer> {
  const { connection, vectors, meaning } = dependencies
  const { limit = DEFAULT_LIMIT, perDocument = DEFAULT_PER_DOCUMENT, by = 'both', signal } = query
  signal?.throwIfAborted()
  const scope = dependencies.readScope({ collections: query.collections, documents: query.documents })
  if (scope.numbers.length === 0 || limit < 1 || perDocument < 1) return { hits: [] }
  const byWordsAlone = by === 'words' || (by === 'both' && meaning.weight === 0)
  const embedding: Promise<Embedded> = byWordsAlone ? Promise.resolve({}) : embedQuery(dependencies, query)
  const [depth, slack] = [Math.max(DEPTH, limit * 4), perDocument * PER_DOCUMENT_SLACK]
  const words = by === 'meaning' ? [] : limitPerDocument(candidatesByWords(connection, query.text, scope), depth, slack)
  const { vector, floor = 0, degraded } = await embedding
  signal?.throwIfAborted()
  const nearest = { limit: depth, perDocument: slack, floor }
  const near = vector ? await vectors.nearest(vector, scope.numbers, nearest) : []
  signal?.throwIfAborted()
  const fused = byReciprocalRank([
    { by: 'words', weight: 1, candidates: words },
    { by: 'meaning', weight: by === 'meaning' ? 1 : meaning.weight, candidates: near },
  ])
  return { hits: readHits(connection, fused, limit, perDocument), ...defined({ degraded }) }
}

/** The first candidates, at most `perDocument` of one document. */
function limitPerDocument(
  candidates: Iterable<ChunkCandidate>,
  depth: number,
  perDocument: number,
): readonly ChunkCandidate[] {
  const taken: ChunkCandidate[] = []
  const ofDocument = new Map<number, number>()
  for (const candidate of candidates) {
    const document = documentNumber(candidate.number)
    const count = (ofDocument.get(document) ?? 0) + 1
    if (count > perDocument) continue
    ofDocument.set(document, count)
    taken.push({ number: candidate.number, value: candidate.value })
    if (taken.length === depth) break
  }
  return taken
}

interface Embedded {
  readonly vector?: Float32Array
  /** The cosine above which a passage is an answer. */
  readonly floor?: number
  readonly degraded?: string
}

/** The vector of a query; nothing without a model, without vectors to compare with, or without an answer in time. */
async function embedQuery(dependencies: SearchDependencies, { text, signal }: SearchQuery): Promise<Embedded> {
  const { clock, embedder, currentEmbedder, embedderTimeoutMs, closing, onWarning, onModel, meaning, noise } =
    dependencies
  const dimensions = embedder && currentEmbedder()?.dimensions
  if (!embedder || !dimensions || text.trim() === '') return {}
  const limit = clock.timeoutSignal(embedderTimeoutMs)
  const signals = AbortSignal.any([limit, closing, ...(signal ? [signal] : [])])
  const name = embedderName(embedder.id)
  const degraded = (reason: string) => {
    const fault = reason.startsWith(name) ? reason : `${name}: ${reason}`
    onWarning(`a query was answered by words alone: ${fault}`)
    onModel(fault)
    return { degraded: `Found by words alone: the embedding model ${fault}.` }
  }
  try {
    const asked = embedder.embed([text], { kind: 'query', signal: signals })
    // Measuring continues after this query, for the next one: it may need longer than a query waits.
    const measured = Promise.resolve(meaning.floor ?? noise?.measure(closing)).catch(() => undefined)
    const [vector] = await orAborted(asked, signals)
    if (vector?.length === dimensions) {
      onModel(undefined)
      const floor = await orAborted(measured, signals).catch(() => undefined)
      return { vector: unitVector(vector), floor: floor ?? 0 }
    }
    return degraded(`${name} returned a vector of another length than those in the index`)
  } catch (error) {
    if (signal?.aborted || closing.aborted) return {}
    return degraded(limit.aborted ? `no vector within ${embedderTimeoutMs} ms` : errorMessage(error))
  }
}

/** Reads the hits. A chunk that was removed in the meantime is left out. */
function readHits(
  connection: SqliteConnection,
  fused: readonly Fused[],
  limit: number,
  perDocument: number,
): readonly SearchHit[] {
  const hits: SearchHit[] = []
  const ofDocument = new Map<number, number>()
  for (const { number, score, ranks } of fused) {
    if (hits.length >= limit) break
    const key = documentNumber(number)
    const count = (ofDocument.get(key) ?? 0) + 1
    if (count > perDocument) continue
    const document = documentAt(connection, key)
    const chunk = readChunk(connection, number)
    if (!document || !chunk) continue
    ofDocument.set(key, count)
    const { id, title, url, updated } = document
    hits.push({
      document: id,
      title,
      ...(url !== null && { url }),
      ...(updated !== null && { updated }),
      chunk,
      score,
      ranks,
    })
  }
  return hits
}

/** Weights of a word in the title, in the headings above a chunk, and in its text. */
const WEIGHTS = '3.0, 2.0, 1.0'
/** Words of a query that are searched: of a pasted page, the beginning. */
const MOST_WORDS = 64
const LONGEST_QUERY = 10_000
/** Approximate number of rows that are ranked for one query, about 1 µs each. */
const MOST_ROWS = 10_000
/** The fewest words that are searched, unless one of them alone is too frequent. */
const LEAST_WORDS = 2

const candidateQuery = `
  select rowid as number, -bm25(words, ${WEIGHTS}) as value from words
  where words match ? and rowid / ${PER_DOCUMENT} in (select value from json_each(?))
  order by value desc, rowid`

/**
 * Chunks that contain any of the words, best first by BM25. An iterator: a caller may stop after the best ones. Where many
 * chunks are in scope, the most frequent words are left out of a question: they select the least and cost the most.
 */
function candidatesByWords(
  connection: SqliteConnection,
  text: string,
  { json, chunks }: SearchScope,
): Iterable<ChunkCandidate> {
  const words = rareWords(
    connection,
    [...new Set(splitWords(text.slice(0, LONGEST_QUERY).toWellFormed()))].slice(0, MOST_WORDS),
    chunks,
  )
  if (words.length === 0) return []
  return connection.each<ChunkCandidate>(candidateQuery, matchAny(words), json)
}

/** Each word is quoted: no part of a query is ever an operator. */
function matchAny(words: readonly string[]): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ')
}

/** The rarest words, as many as the limit of rows allows. */
function rareWords(connection: SqliteConnection, words: readonly string[], chunks: number): readonly string[] {
  if (words.length * chunks <= MOST_ROWS) return words
  let rows = 0
  return words
    .map((word) => ({
      word,
      rows: Math.min(
        chunks,
        connection.get<{ readonly rows: number }>(
          `select count(*) as rows from (select 1 from words where words match ? limit ${MOST_ROWS + 1})`,
          matchAny([word]),
        )!.rows,
      ),
    }))
    .toSorted((a, b) => a.rows - b.rows)
    .filter((one, index) => {
      rows += one.rows
      return index === 0 || rows <= MOST_ROWS || (index < LEAST_WORDS && one.rows <= MOST_ROWS)
    })
    .map((one) => one.word)
}

interface RankedList {
  readonly by: SearchMethod
  /** Weight of a rank in this list beside the same rank in a list of weight 1. */
  readonly weight: number
  /** Best first. */
  readonly candidates: readonly { readonly number: number; readonly value: number }[]
}

interface Fused {
  readonly number: number
  readonly score: number
  readonly ranks: SearchHit['ranks']
}

/** The constant of Cormack, Clarke and Büttcher (2009): it dampens the lead of the first ranks. */
const K = 60

/**
 * Combines lists whose values cannot be compared by their ranks: each rank is worth `weight / (60 + rank)`. Best first; the
 * chunk that was indexed first wins a tie.
 */
export function byReciprocalRank(lists: readonly RankedList[]): readonly Fused[] {
  const fused = new Map<number, { score: number; ranks: SearchHit['ranks'][number][] }>()
  for (const { by, weight, candidates } of lists) {
    candidates.forEach(({ number, value }, index) => {
      const one = fused.get(number) ?? { score: 0, ranks: [] }
      fused.set(number, one)
      one.score += weight / (K + index + 1)
      one.ranks.push({ by, rank: index + 1, value })
    })
  }
  return [...fused]
    .map(([number, { score, ranks }]) => ({ number, score, ranks }))
    .toSorted((a, b) => b.score - a.score || a.number - b.number)
}
