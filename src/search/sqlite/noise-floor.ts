import type { Embedder } from '../engine.ts'
import { unitVector } from '../unit-vector.ts'
import type { Connection } from './connection.ts'
import type { VectorList } from './vector-list.ts'
import type { EmbedderRow } from './vector-table.ts'

/**
 * The cosine that says nothing, measured on the index itself: how near some meaningless questions come to its documents,
 * and a fifth of the way from there to 1. What a question finds below it is as good as found by chance. Models differ too
 * much for a fixed number: unrelated texts reach 0.1 with some and 0.8 with others (decision 0013).
 */
export interface NoiseFloor {
  /**
   * Measured at the first question, on documents that have their vectors, and again when there are a quarter more or fewer
   * of them. 0 while there are too few. `signal` ends what a model is asked.
   */
  measure(signal: AbortSignal): Promise<number>
}

export function noiseFloor(
  connection: Connection,
  vectors: VectorList,
  embedder: Embedder,
  current: () => EmbedderRow | undefined,
): NoiseFloor {
  let asked: Promise<readonly Float32Array[]> | undefined
  let measured: { readonly floor: number; readonly documents: number } | undefined
  return {
    async measure(signal) {
      const model = current()
      const documents = model === undefined ? [] : embeddedDocuments(connection, model)
      if (measured && Math.abs(documents.length - measured.documents) * 4 <= measured.documents) return measured.floor
      if (documents.length < FEWEST) return 0
      asked ??= vectorsOf(embedder, signal)
      const questions = await asked.catch((error: unknown) => {
        asked = undefined
        throw error
      })
      const sample = spread(documents)
      // The very nearest may be as meaningless as the question: a table of numbers, a text that only fills a page.
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

/** They sound like questions and names, and mean nothing in any language. */
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

/** Fewer documents than this say nothing of what is found by chance. */
const FEWEST = 10
/** How far above the noise an answer begins, as a share of what is left up to 1. */
const ABOVE_NOISE = 0.2
/** More documents than this are represented by some of them. */
const SAMPLE = 2_000

async function vectorsOf(embedder: Embedder, signal: AbortSignal): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = []
  for (let at = 0; at < MEANINGLESS.length; at += embedder.batch) {
    const texts = MEANINGLESS.slice(at, at + embedder.batch)
    vectors.push(...(await embedder.embed(texts, { kind: 'query', signal })).map(unitVector))
  }
  return vectors
}

function embeddedDocuments(connection: Connection, { number }: EmbedderRow): readonly number[] {
  const rows = connection.all<{ readonly number: number }>(
    "select number from documents where state = 'ready' and embedder = ?",
    number,
  )
  return rows.map((row) => row.number)
}

function spread(numbers: readonly number[]): readonly number[] {
  const step = Math.max(1, numbers.length / SAMPLE)
  return Array.from({ length: Math.min(numbers.length, SAMPLE) }, (_, index) => numbers[Math.floor(index * step)]!)
}
