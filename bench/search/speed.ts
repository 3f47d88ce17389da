import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openSqliteSearch, type SearchEngine } from '../../src/search.ts'
import { hashedNgrams } from './hashed-ngrams.ts'
import { madeDocuments } from './made-documents.ts'
import { quantile } from '../measures.ts'
import { systemClock } from '../../src/platform.ts'

export interface Speed {
  readonly chunks: number
  /** Indexed chunks per second, with a flush to disk after each document. */
  readonly indexedPerSecond: number
  /** The longest time for which indexing blocked other work, in ms. */
  readonly longestWait: number
  readonly megabytes: number
  /** The times of searches in ms, by kind of query. */
  readonly latencies: Readonly<Record<'words' | 'one part' | 'words, meaning', readonly number[]>>
}

const QUESTIONS = 200
const COLLECTIONS = { words: ['all'], 'one part': ['part-7'], 'words, meaning': ['all'] }

/** Fills an index up to each of the sizes, ascending, and searches it. */
export async function* speeds(sizes: readonly number[]): AsyncGenerator<Speed> {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-bench-'))
  const path = join(folder, 'search.sqlite')
  const made = madeDocuments(7)
  let next = 0
  try {
    for (const size of sizes) {
      const words = await openSqliteSearch({ clock: systemClock, path })
      const waits = monitorEventLoopDelay({ resolution: 1 })
      waits.enable()
      const began = performance.now()
      const before = (await words.progress()).chunks
      let chunks = before
      while (chunks < size) {
        for (let count = Math.max(1, Math.floor((size - chunks) / 12)); count > 0; count -= 1)
          await words.index(made.document(next++))
        chunks = (await words.progress()).chunks
      }
      const indexedPerSecond = ((chunks - before) / (performance.now() - began)) * 1000
      waits.disable()
      const asked = { words: await ask(words, 'words'), 'one part': await ask(words, 'one part') }
      await words.close()
      const both = await openSqliteSearch({ clock: systemClock, path, embedder: hashedNgrams })
      await both.embedMissing()
      const latencies = { ...asked, 'words, meaning': await ask(both, 'words, meaning') }
      await both.close()
      yield { chunks, indexedPerSecond, longestWait: waits.max / 1e6, megabytes: statSync(path).size / 1e6, latencies }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }

  async function ask(engine: SearchEngine, what: keyof typeof COLLECTIONS): Promise<readonly number[]> {
    const query = () => ({ text: made.question(), collections: COLLECTIONS[what] })
    await engine.search(query())
    const latencies: number[] = []
    for (let count = 0; count < QUESTIONS; count += 1) {
      const question = query()
      const began = performance.now()
      await engine.search(question)
      latencies.push(performance.now() - began)
    }
    return latencies
  }
}

export function speedLines(speed: Speed): readonly string[] {
  const { chunks, indexedPerSecond, longestWait, megabytes, latencies } = speed
  return Object.entries(latencies).map(([what, times], index) => {
    const row = [
      index === 0 ? String(chunks) : '',
      index === 0 ? indexedPerSecond.toFixed(0) : '',
      index === 0 ? `${longestWait.toFixed(0)} ms` : '',
      index === 0 ? `${megabytes.toFixed(0)} MB` : '',
      what,
      `${quantile(times, 0.5).toFixed(1)} ms`,
      `${quantile(times, 0.99).toFixed(1)} ms`,
    ]
    return row.map((cell, column) => cell.padStart(SPEED_WIDTHS[column]!)).join('')
  })
}

const SPEED_WIDTHS = [7, 12, 14, 9, 17, 10, 10]
export const speedHeading = ['chunks', 'indexed/s', 'longest wait', 'file', 'asked', 'p50', 'p99']
  .map((cell, column) => cell.padStart(SPEED_WIDTHS[column]!))
  .join('')
