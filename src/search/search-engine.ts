/** A part of a document that is found as one. */
export interface Chunk {
  /** Unique within its document. */
  readonly id: string
  readonly text: string
  /** Characters from the beginning of the document's text. */
  readonly start: number
  readonly end: number
  /** From 1; absent where the document has no pages. */
  readonly page?: number
  /** From 1. */
  readonly line: number
  /** The headings above it, outermost first. */
  readonly headings: readonly string[]
}

export interface IndexedDocument {
  readonly id: string
  readonly title: string
  /** A query that may see one of these collections may see the document. */
  readonly collections: readonly string[]
  /** Changes when the text does: a document that is indexed with this digest is not indexed again. */
  readonly digest: string
  readonly text: string
  readonly pages?: readonly number[]
  readonly url?: string
  /** ISO 8601. */
  readonly updated?: string
}

/** What an index knows about a document, to compare it with the originals. */
export interface KnownDocument {
  readonly id: string
  readonly digest: string
  readonly collections: readonly string[]
}

/** One query. Its text is words to find, never syntax. */
export interface SearchQuery {
  readonly text: string
  /** Only documents of these collections. An empty list finds nothing. */
  readonly collections: readonly string[]
  /** Only these documents. */
  readonly documents?: readonly string[]
  /** The most hits. 10 unless given. */
  readonly limit?: number
  /** The most hits of one document. 3 unless given. */
  readonly perDocument?: number
  /** How to search. `both` unless given; without an embedding model, by words only. */
  readonly by?: SearchMethod | 'both'
  readonly signal?: AbortSignal
}

/** By the words of a passage, or by its meaning to an embedding model. */
export type SearchMethod = 'words' | 'meaning'

export interface SearchAnswer {
  /** Best first. */
  readonly hits: readonly SearchHit[]
  /** A sentence for people: why the search used words alone although there is an embedding model. */
  readonly degraded?: string
}

export interface SearchHit {
  readonly document: string
  readonly title: string
  readonly url?: string
  readonly updated?: string
  readonly chunk: Chunk
  /** Higher is better; comparable only within one answer. */
  readonly score: number
  /** How it was found: its rank in each list that contains it, and the score of that list. */
  readonly ranks: readonly { readonly by: SearchMethod; readonly rank: number; readonly value: number }[]
}

export interface IndexProgress {
  readonly documents: number
  readonly indexed: number
  readonly chunks: number
  /** Chunks with a vector of the current embedding model. */
  readonly embedded: number
  /** Why the last call of the embedding model failed; absent where it answered, or where there is none. */
  readonly degraded?: string
}

/**
 * An index of documents. Every backend passes `searchEngineCases` of `test/cases`. A change is on disk when its promise
 * resolves. Interrupted work can be repeated: indexing a document twice changes nothing.
 */
export interface SearchEngine {
  /** Adds a document, or indexes it again if its digest has changed. Its words can be found when this resolves. */
  index(document: IndexedDocument, options?: { readonly signal?: AbortSignal }): Promise<void>
  /** Sets the collections of a document without indexing its text again. Returns whether the document is known. */
  assign(document: string, collections: readonly string[]): Promise<boolean>
  remove(document: string): Promise<boolean>
  search(query: SearchQuery): Promise<SearchAnswer>
  /** Text of a document from offset `start` on, to read on from a hit. `undefined` for an unknown document. */
  read(document: string, range: { readonly start: number; readonly characters: number }): Promise<string | undefined>
  /** Computes missing vectors, oldest first, until all are there or `signal` is aborted. Does nothing without a model. */
  embedMissing(options?: {
    readonly signal?: AbortSignal
    readonly onProgress?: (progress: IndexProgress) => void
  }): Promise<IndexProgress>
  progress(collections?: readonly string[]): Promise<IndexProgress>
  /** Every document that can be found, ordered by id. */
  documents(): Promise<readonly KnownDocument[]>
  /** Stops running work and waits for its end. */
  close(): Promise<void>
}

/** Weight of the meaning of a passage beside its words. */
export interface MeaningSettings {
  /**
   * Weight of a rank by meaning beside the same rank by words, from 0 to 1. 0.1 unless given: a model that does not fit
   * the texts then hardly makes an answer worse (decision 0013).
   */
  readonly weight?: number
  /** The least cosine of question and passage that makes a passage an answer, from 0 to 1. Measured unless given. */
  readonly floor?: number
}

/** Turns texts into vectors of one length. */
export interface Embedder {
  /** Names the model and everything that changes its vectors: another id means other vectors. */
  readonly id: string
  /** The most texts of one call. */
  readonly batch: number
  embed(
    texts: readonly string[],
    options: { readonly kind: 'document' | 'query'; readonly signal?: AbortSignal },
  ): Promise<readonly Float32Array[]>
}
