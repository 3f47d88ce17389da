import type { Embedder, MeaningSettings, SearchEngine, SearchHit } from '../../src/search.ts'
import type { IndexedDocument } from '../../src/search/search-engine.ts'

/** A place for one index, empty at first. */
export interface SearchFixture {
  /** Opens the stored data. It may be called again after `close`. */
  open(options?: {
    readonly embedder?: Embedder
    readonly meaning?: MeaningSettings
    readonly onWarning?: (message: string) => void
  }): Promise<SearchEngine>
  remove(): Promise<void>
}

/** Runs one case on its own index. `open` opens that index again. Whatever is open is closed and removed afterwards. */
export type SearchCase = (
  name: string,
  run: (engine: SearchEngine, open: SearchFixture['open']) => Promise<void>,
) => void

/** A document of the collection `all`, with its text as the digest. */
export function searchDocument(id: string, text: string, more: Partial<IndexedDocument> = {}): IndexedDocument {
  return { id, title: id, collections: ['all'], digest: text, text, ...more }
}

/** Searches the collection `all` and returns the ids of the documents, in order. */
export async function findDocuments(
  engine: SearchEngine,
  text: string,
  more: Partial<Parameters<SearchEngine['search']>[0]> = {},
): Promise<readonly string[]> {
  return documentIds((await engine.search({ text, collections: ['all'], ...more })).hits)
}

export function documentIds(hits: readonly SearchHit[]): readonly string[] {
  return hits.map((hit) => hit.document)
}

export interface TopicEmbedder extends Embedder {
  /** The requests so far, in order. */
  readonly requests: readonly { readonly kind: 'document' | 'query'; readonly texts: readonly string[] }[]
}

/**
 * Creates an embedder with one dimension for each topic, which is a list of words. A text points to the topics that it
 * mentions, so `sea` and `ocean` mean the same if they are words of one topic.
 */
export function topicEmbedder(
  topics: readonly (readonly string[])[],
  options: { readonly id?: string; readonly batch?: number; readonly before?: () => void | Promise<void> } = {},
): TopicEmbedder {
  const requests: { kind: 'document' | 'query'; texts: readonly string[] }[] = []
  return {
    id: options.id ?? 'topics',
    batch: options.batch ?? 4,
    requests,
    async embed(texts, { kind }) {
      await options.before?.()
      requests.push({ kind, texts })
      return texts.map((text) =>
        Float32Array.from(topics, (words) => words.filter((word) => text.toLowerCase().includes(word)).length),
      )
    },
  }
}
