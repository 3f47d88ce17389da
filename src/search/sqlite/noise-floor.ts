import type { SqliteConnection } from '../../platform.ts'
import type { Embedder } from '../search-engine.ts'
import { unitVector } from '../embedder/vectors.ts'
import type { EmbedderRow, VectorList } from './vectors.ts'

/**
 * The cosine below which a passage is no answer, measured on the index itself: how near meaningless questions come to its
 * documents, plus a fifth of the distance from there to 1. Models differ too much for a fixed number: unrelated texts reach
 * 0.1 with some and 0.8 with others (decision 0013).
 */
export type NoiseFloor = ReturnType<typeof noiseFloor>

export function noiseFloor(
  connection: SqliteConnection,
  vectors: VectorList,
  embedder: Embedder,
  current: () => EmbedderRow | undefined,
) {
  let questionVectors: Promise<readonly Float32Array[]> | undefined
  let measured: { readonly floor: number; readonly documents: number } | undefined
  return {
    /**
     * Measures at the first query, on documents with vectors, and again when their number has changed by a quarter. Returns 0
     * while there are too few. `signal` aborts the call of the model.
     */
    async measure(signal: AbortSignal) {
      const model = current()
      const documents = model === undefined ? [] : embeddedDocuments(connection, model)
      if (measured && Math.abs(documents.length - measured.documents) * 4 <= measured.documents) return measured.floor
      if (documents.length < FEWEST) return 0
      questionVectors ??= embedMeaningless(embedder, signal)
      const questions = await questionVectors.catch((error: unknown) => {
        questionVectors = undefined
        throw error
      })
      const step = Math.max(1, documents.length / SAMPLE)
      const sample = Array.from(
        { length: Math.min(documents.length, SAMPLE) },
        (_, index) => documents[Math.floor(index * step)]!,
      )
      // The very nearest document may be as meaningless as the question: a table of numbers, a filler text.
      const limit = 1 + Math.ceil(sample.length / 50)
      const values: number[] = []
      for (const question of questions) {
        if (question.length !== model?.dimensions) continue
        const near = await vectors.nearest(question, sample, { limit, perDocument: 1, floor: 0 })
        values.push(near[limit - 1]?.value ?? 0)
      }
      const noise = values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
      const floor = noise === 0 ? 0 : noise + ABOVE_NOISE * (1 - noise)
      measured = { floor, documents: documents.length }
      return floor
    },
  }
}

/** Texts that sound like questions and names, and have no meaning in any language. */
const MEANINGLESS = [
  'what is the frindle of a morquet',
  'how does one plimbo the grastic vunder',
  'wug blicket toma dax',
  'velk tarrow isp ondle quaff brint',
  'when did norvish akum tellabrand',
  'ek snoviter ulm drasp',
  'thurn of ballibor',
  'mip mip mip',
]

/** The fewest documents that allow a measurement. */
const FEWEST = 10
/** Distance of the floor above the noise, as a share of the distance up to 1. */
const ABOVE_NOISE = 0.2
/** The most documents that are measured; a larger index is sampled. */
const SAMPLE = 2_000

async function embedMeaningless(embedder: Embedder, signal: AbortSignal): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = []
  for (let at = 0; at < MEANINGLESS.length; at += embedder.batch) {
    const texts = MEANINGLESS.slice(at, at + embedder.batch)
    vectors.push(...(await embedder.embed(texts, { kind: 'query', signal })).map(unitVector))
  }
  return vectors
}

function embeddedDocuments(connection: SqliteConnection, { number }: EmbedderRow): readonly number[] {
  const rows = connection.all<{ readonly number: number }>(
    "select number from documents where state = 'ready' and embedder = ?",
    number,
  )
  return rows.map((row) => row.number)
}
