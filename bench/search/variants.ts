import { DatabaseSync } from 'node:sqlite'
import { splitIntoChunks } from '../../src/search/chunks.ts'
import { splitWords } from '../../src/search/words.ts'
import type { JudgedCollection } from './judged-collection.ts'
import { mean, ndcgAt10, recallAt25 } from './measures.ts'
import type { Quality } from './quality.ts'

interface Variant {
  readonly stemming: boolean
  readonly size: number
  readonly overlap: number
  readonly titleWeight: number
}

const asDecided: Variant = { stemming: true, size: 1_000, overlap: 60, titleWeight: 3 }

const variants: readonly Partial<Variant>[] = [
  {},
  { stemming: false },
  ...[1, 2, 4].map((titleWeight) => ({ titleWeight })),
  ...[600, 800, 1_200, 1_600].map((size) => ({ size })),
  ...[0, 100].map((overlap) => ({ overlap })),
]

/** Other values of the search parameters, one change at a time, in a bare FTS5 table. */
export function* variantQualities(collection: JudgedCollection): Generator<Quality> {
  for (const difference of variants) {
    const way = Object.entries(difference).map(([name, value]) => `${name} ${value}`)
    yield { way: way[0] ?? 'as decided', ...measured(collection, { ...asDecided, ...difference }) }
  }
}

function measured({ documents, questions }: JudgedCollection, variant: Variant) {
  const database = new DatabaseSync(':memory:')
  const tokenizer = `${variant.stemming ? 'porter ' : ''}unicode61 remove_diacritics 2`
  database.exec(`create virtual table words using fts5(id unindexed, title, body, tokenize = '${tokenizer}')`)
  const insert = database.prepare('insert into words values (?, ?, ?)')
  for (const { id, title, text } of documents) {
    for (const chunk of splitIntoChunks(text, { size: variant.size, overlap: variant.overlap })) {
      insert.run(id, splitWords(title).join(' '), splitWords(chunk.text).join(' '))
    }
  }
  const select = database.prepare(
    `select id from words where words match ? order by bm25(words, 0, ${variant.titleWeight}, 1) limit 200`,
  )
  const answers = questions.map((question) => {
    const match = [...new Set(splitWords(question.text))].map((word) => `"${word}"`).join(' OR ')
    return [...new Set(select.all(match).map((row) => String(row['id'])))]
  })
  database.close()
  return {
    ndcg: mean(answers.map((found, index) => ndcgAt10(found, questions[index]!))),
    recall: mean(answers.map((found, index) => recallAt25(found, questions[index]!))),
  }
}
