import type { Embedder, IndexedDocument, MeaningSettings, SearchEngine, SearchHit } from '../search.ts'

/** Somewhere to keep an index, empty at first. */
export interface SearchPlace {
  /** Opens what is kept here. May be called again after `close`. */
  open(options?: {
    readonly embedder?: Embedder
    readonly meaning?: MeaningSettings
    readonly onWarning?: (message: string) => void
  }): Promise<SearchEngine>
  remove(): Promise<void>
}

/** Runs one case at a place of its own and cleans up behind it. */
export type SearchCase = (name: string, run: (engine: SearchEngine, place: SearchPlace) => Promise<void>) => void

/** A document of one collection, `all`, whose digest is its text. */
export function documentOf(id: string, text: string, more: Partial<IndexedDocument> = {}): IndexedDocument {
  return { id, title: id, collections: ['all'], digest: text, text, ...more }
}

/** Asks all of the collection `all` and answers the ids of the documents that were found, in order. */
export async function found(
  engine: SearchEngine,
  text: string,
  more: Partial<Parameters<SearchEngine['search']>[0]> = {},
): Promise<readonly string[]> {
  return idsOf((await engine.search({ text, collections: ['all'], ...more })).hits)
}

export function idsOf(hits: readonly SearchHit[]): readonly string[] {
  return hits.map((hit) => hit.document)
}

export interface TopicEmbedder extends Embedder {
  /** Every text that it was given. */
  readonly asked: readonly { readonly kind: 'document' | 'query'; readonly texts: readonly string[] }[]
}

/**
 * Knows topics by words: a text points in the directions of those that it mentions. So `sea` and `ocean` mean the same
 * when they are words of one topic.
 */
export function topicEmbedder(
  topics: readonly (readonly string[])[],
  options: { readonly id?: string; readonly batch?: number; readonly before?: () => void | Promise<void> } = {},
): TopicEmbedder {
  const asked: { kind: 'document' | 'query'; texts: readonly string[] }[] = []
  return {
    id: options.id ?? 'topics',
    batch: options.batch ?? 4,
    asked,
    async embed(texts, { kind }) {
      await options.before?.()
      asked.push({ kind, texts })
      return texts.map((text) =>
        Float32Array.from(topics, (words) => words.filter((word) => text.toLowerCase().includes(word)).length),
      )
    },
  }
}
