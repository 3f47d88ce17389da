import { errorMessage, orAborted } from '../../platform.ts'
import { nameOf } from '../embedder/service.ts'
import type { Embedder, MeaningSettings, SearchAnswer, SearchHit, SearchQuery } from '../engine.ts'
import { byReciprocalRank, type Fused } from '../reciprocal-rank.ts'
import { unitVector } from '../unit-vector.ts'
import { readChunk } from './chunk-table.ts'
import type { Connection } from './connection.ts'
import { documentAt } from './document-table.ts'
import { documentOf } from './numbering.ts'
import type { Sight, Visible } from './sight.ts'
import type { NoiseFloor } from './noise-floor.ts'
import type { VectorList } from './vector-list.ts'
import type { EmbedderRow } from './vector-table.ts'
import { type Candidate, candidatesByWords } from './word-list.ts'

export interface SearchPlace {
  readonly connection: Connection
  readonly sightOf: (visible: Visible) => Sight
  readonly vectors: VectorList
  readonly embedder: Embedder | undefined
  readonly meaning: MeaningSettings & { readonly weight: number }
  /** What counts as no answer where no floor is set. Absent without an embedding model. */
  readonly noise: NoiseFloor | undefined
  readonly currentEmbedder: () => EmbedderRow | undefined
  readonly embedderTimeoutMs: number
  readonly closing: AbortSignal
  readonly onWarning: (message: string) => void
  /** Whether the model answered the question, and if not, why. */
  readonly onModel: (fault: string | undefined) => void
}

const DEFAULT_LIMIT = 10
const DEFAULT_PER_DOCUMENT = 3
/** How many candidates of each list are combined, at least: what both lists hold in the middle may come out on top. */
const DEPTH = 100
/** A list may hold so many times more of a document than an answer does: each may prefer other parts of it. */
const PER_DOCUMENT_SLACK = 2

/** Answers a question from what can be seen. Without a vector in time, from words alone, and the answer says why. */
export async function searchIn(place: SearchPlace, query: SearchQuery): Promise<SearchAnswer> {
  const { connection, vectors, meaning } = place
  const { limit = DEFAULT_LIMIT, perDocument = DEFAULT_PER_DOCUMENT, by = 'both', signal } = query
  signal?.throwIfAborted()
  const sight = place.sightOf({ collections: query.collections, documents: query.documents })
  if (sight.numbers.length === 0 || limit < 1 || perDocument < 1) return { hits: [] }
  const byWordsAlone = by === 'words' || (by === 'both' && meaning.weight === 0)
  const embedding: Promise<Embedded> = byWordsAlone ? Promise.resolve({}) : vectorOf(place, query)
  const [depth, slack] = [Math.max(DEPTH, limit * 4), perDocument * PER_DOCUMENT_SLACK]
  const words = by === 'meaning' ? [] : best(candidatesByWords(connection, query.text, sight), depth, slack)
  const { vector, floor = 0, degraded } = await embedding
  signal?.throwIfAborted()
  const nearest = { limit: depth, perDocument: slack, floor }
  const near = vector ? await vectors.nearest(vector, sight.numbers, nearest) : []
  signal?.throwIfAborted()
  const fused = byReciprocalRank([
    { by: 'words', weight: 1, candidates: words },
    { by: 'meaning', weight: by === 'meaning' ? 1 : meaning.weight, candidates: near },
  ])
  return { hits: hitsOf(connection, fused, limit, perDocument), ...(degraded !== undefined && { degraded }) }
}

/** The first candidates, without those of a document that has enough of them. */
function best(candidates: Iterable<Candidate>, depth: number, perDocument: number): readonly Candidate[] {
  const taken: Candidate[] = []
  const ofDocument = new Map<number, number>()
  for (const candidate of candidates) {
    const document = documentOf(candidate.number)
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

/** The question's vector, or nothing where there is no model, no vectors to compare with, or no answer in time. */
async function vectorOf(place: SearchPlace, { text, signal }: SearchQuery): Promise<Embedded> {
  const { embedder, currentEmbedder, embedderTimeoutMs, closing, onWarning, onModel, meaning, noise } = place
  const dimensions = embedder && currentEmbedder()?.dimensions
  if (!embedder || !dimensions || text.trim() === '') return {}
  const limit = AbortSignal.timeout(embedderTimeoutMs)
  const signals = AbortSignal.any([limit, closing, ...(signal ? [signal] : [])])
  const name = nameOf(embedder.id)
  const degraded = (reason: string) => {
    const told = reason.startsWith(name) ? reason : `${name}: ${reason}`
    onWarning(`a question was answered by words alone: ${told}`)
    onModel(told)
    return { degraded: `Found by words alone: the embedding model ${told}.` }
  }
  try {
    const asked = embedder.embed([text], { kind: 'query', signal: signals })
    // Measuring goes on behind this question, for the next one: a model may take longer for it than a question waits.
    const measured = Promise.resolve(meaning.floor ?? noise?.measure(closing)).catch(() => undefined)
    const [vector] = await orAborted(asked, signals)
    if (vector?.length === dimensions) {
      onModel(undefined)
      const floor = await orAborted(measured, signals).catch(() => undefined)
      return { vector: unitVector(vector), floor: floor ?? 0 }
    }
    return degraded(`${name} gave a vector of another length than those in the index`)
  } catch (error) {
    if (signal?.aborted || closing.aborted) return {}
    return degraded(limit.aborted ? `no vector within ${embedderTimeoutMs} ms` : errorMessage(error))
  }
}

/** A chunk that went between the search and now is left out. */
function hitsOf(
  connection: Connection,
  fused: readonly Fused[],
  limit: number,
  perDocument: number,
): readonly SearchHit[] {
  const hits: SearchHit[] = []
  const ofDocument = new Map<number, number>()
  for (const { number, score, ranks } of fused) {
    if (hits.length >= limit) break
    const key = documentOf(number)
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
