import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Embedder, openSqliteSearch, type SearchEngine } from '../../src/search.ts'
import type { JudgedCollection } from './judged-collection.ts'
import { mean, ndcgAt10, recallAt25 } from './measures.ts'
import { systemClock } from '../../src/platform.ts'

export interface Quality {
  readonly way: string
  readonly ndcg: number
  readonly recall: number
}

/** Returns the ids of documents for a question, best first, at most 25. */
type Way = (text: string) => Promise<readonly string[]>

const LIMIT = 25
/** The weights to measure. 0.1 is the default. */
const WEIGHTS = [0.1, 0.25, 0.5, 1]

/** The quality of each search method in a collection. */
export async function qualities(
  { documents, questions }: JudgedCollection,
  embedders: readonly Embedder[],
): Promise<readonly Quality[]> {
  const measured: Quality[] = []
  const measure = async (way: string, ask: Way) => {
    const ndcg: number[] = []
    const recall: number[] = []
    for (const question of questions) {
      const found = await ask(question.text)
      ndcg.push(ndcgAt10(found, question))
      recall.push(recallAt25(found, question))
    }
    measured.push({ way, ndcg: mean(ndcg), recall: mean(recall) })
  }
  await measure('bm25 alone', plainBm25(documents))
  const words = await openSqliteSearch({ clock: systemClock, path: ':memory:' })
  await indexed(words, documents)
  await measure('words', askOf(words))
  await words.close()
  for (const embedder of embedders) {
    const folder = mkdtempSync(join(tmpdir(), 'foreword-bench-search-'))
    const path = join(folder, 'search.sqlite')
    const first = await openSqliteSearch({ clock: systemClock, path, embedder })
    await indexed(first, documents)
    await first.embedMissing()
    await measure(`${embedder.id}, meaning alone`, askOf(first, 'meaning'))
    await first.close()
    for (const weight of WEIGHTS) {
      const engine = await openSqliteSearch({ clock: systemClock, path, embedder, meaning: { weight } })
      await measure(`  both, meaning × ${weight}`, askOf(engine))
      await engine.close()
    }
    rmSync(folder, { recursive: true, force: true })
  }
  return measured
}

/** FTS5 with its defaults: whole documents, its tokenizer, equal weights of columns. */
function plainBm25(documents: JudgedCollection['documents']): Way {
  const database = new DatabaseSync(':memory:')
  database.exec('create virtual table plain using fts5(id unindexed, title, text)')
  const insert = database.prepare('insert into plain values (?, ?, ?)')
  for (const { id, title, text } of documents) insert.run(id, title, text)
  const select = database.prepare('select id from plain where plain match ? order by bm25(plain) limit ?')
  return async (text) => {
    const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]
    const match = words.map((word) => `"${word}"`).join(' OR ')
    return match === '' ? [] : select.all(match, LIMIT).map((row) => String(row['id']))
  }
}

async function indexed(engine: SearchEngine, documents: JudgedCollection['documents']): Promise<void> {
  for (const document of documents) await engine.index({ ...document, collections: ['all'], digest: document.text })
}

function askOf(engine: SearchEngine, by: 'meaning' | 'both' = 'both'): Way {
  return async (text) => {
    const { hits } = await engine.search({ text, collections: ['all'], limit: LIMIT, perDocument: 1, by })
    return hits.map((hit) => hit.document)
  }
}
