import { DatabaseSync } from 'node:sqlite'
import { type Embedder, openSqliteSearch } from '../../src/search.ts'
import type { JudgedCollection } from './judged-collection.ts'
import { mean, ndcgAt10, recallAt25 } from './measures.ts'

export interface Quality {
  readonly way: string
  readonly ndcg: number
  readonly recall: number
}

/** Answers a question with the ids of documents, best first, at most 25. */
type Way = (text: string) => Promise<readonly string[]>

const LIMIT = 25

/** What each way of searching finds in a collection. */
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
  for (const embedder of [undefined, ...embedders]) {
    const { ask, close } = await ourWay(documents, embedder)
    await measure(embedder ? `words and ${embedder.id}` : 'words', ask)
    await close()
  }
  return measured
}

/** FTS5 as it comes: whole documents, its own tokenizer, all columns alike. */
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

async function ourWay(documents: JudgedCollection['documents'], embedder: Embedder | undefined) {
  const engine = await openSqliteSearch({ path: ':memory:', ...(embedder && { embedder }) })
  for (const document of documents) await engine.index({ ...document, collections: ['all'], digest: document.text })
  await engine.embedMissing()
  const ask: Way = async (text) => {
    const hits = await engine.search({ text, collections: ['all'], limit: LIMIT, perDocument: 1 })
    return hits.map((hit) => hit.document)
  }
  return { ask, close: () => engine.close() }
}
