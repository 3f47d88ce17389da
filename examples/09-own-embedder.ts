/**
 * An embedding model of your own: words that share their spelling are close to each other. Put the file into the home and
 * configure `{"capabilities": ["./09-own-embedder.ts"], "search": {"embedding": {"kind": "spelling", "model": "trigrams"}}}`.
 */
import { capability } from 'foreword/capability'
import type { EmbedderKind } from 'foreword/search'

const spelling: EmbedderKind = {
  kind: 'spelling',
  open: ({ model, dimensions = 256 }) => ({
    id: `spelling/${model}/${dimensions}`,
    batch: 64,
    embed: async (texts) => texts.map((text) => vectorOf(text, dimensions)),
  }),
}

export default capability({
  name: 'spelling',
  summary: 'Finds words that are spelt alike.',
  models: { embedders: [spelling] },
})

/** Counts the groups of three letters, each at a place that follows from its letters. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  const letters = Array.from(` ${text.toLowerCase()} `)
  for (let at = 0; at + 3 <= letters.length; at += 1) {
    const place = letters.slice(at, at + 3).reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 65_521, 7)
    vector[place % dimensions]! += 1
  }
  return vector
}
