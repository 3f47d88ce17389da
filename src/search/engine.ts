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
  /** The headings that it stands below, outermost first. */
  readonly headings: readonly string[]
}

/** A document as the index takes it. */
export interface IndexedDocument {
  readonly id: string
  readonly title: string
  /** Whoever may see the collection may see the document. A document may stand in several. */
  readonly collections: readonly string[]
  /** Changes when the text does: a document that is indexed with this digest is not indexed again. */
  readonly digest: string
  readonly text: string
  readonly pages?: readonly number[]
  readonly url?: string
  /** ISO 8601. */
  readonly updated?: string
}

/** What an index knows of a document, for whoever compares it with what there is. */
export interface KnownDocument {
  readonly id: string
  readonly digest: string
  readonly collections: readonly string[]
}

/** One question to the index. Its text is words to look for and never syntax. */
export interface SearchQuery {
  readonly text: string
  /** Only documents of these collections. None: nothing is found. */
  readonly collections: readonly string[]
  /** Only these documents. */
  readonly documents?: readonly string[]
  /** At most so many hits. 10 unless given. */
  readonly limit?: number
  /** At most so many hits of one document. 3 unless given. */
  readonly perDocument?: number
  /** How to search. Both ways unless given; without an embedding model there is only `words`. */
  readonly by?: SearchWay | 'both'
  readonly signal?: AbortSignal
}

/** By the words of a passage, or by what it means to an embedding model. */
export type SearchWay = 'words' | 'meaning'

export interface SearchAnswer {
  /** Best first. */
  readonly hits: readonly SearchHit[]
  /** Why the passages were searched by their words alone although there is an embedding model, as a sentence for people. */
  readonly degraded?: string
}

export interface SearchHit {
  readonly document: string
  readonly title: string
  readonly url?: string
  readonly updated?: string
  readonly chunk: Chunk
  /** Higher is better; comparable within one answer alone. */
  readonly score: number
  /** How it was found, for whoever asks why: the rank in each list that held it, and what that list measured. */
  readonly ranks: readonly { readonly by: SearchWay; readonly rank: number; readonly value: number }[]
}

/** How far an index has come. */
export interface IndexProgress {
  readonly documents: number
  readonly indexed: number
  readonly chunks: number
  /** Chunks that have a vector of the current embedding model. */
  readonly embedded: number
  /** Why the embedding model could not be used when it was asked last; absent where it answered, or there is none. */
  readonly degraded?: string
}

/**
 * Where documents are found again. Every backend runs the case suite of `foreword/testing`. A promise that resolves means
 * that it is on disk. What breaks off can be taken up again: indexing a document twice changes nothing.
 */
export interface SearchEngine {
  /** Puts a document in, or takes it in anew where its digest has changed. Its words can be found when this resolves. */
  index(document: IndexedDocument, options?: { readonly signal?: AbortSignal }): Promise<void>
  /** Which collections a document stands in, without taking its text in again. Answers whether it is known. */
  assign(document: string, collections: readonly string[]): Promise<boolean>
  /** Answers whether it was there. */
  remove(document: string): Promise<boolean>
  search(query: SearchQuery): Promise<SearchAnswer>
  /** Chunks of a document next to each other, from `start` on, for whoever reads on from a hit. */
  read(document: string, range: { readonly start: number; readonly characters: number }): Promise<string | undefined>
  /** Computes the vectors that are missing, oldest first, until all are there or `signal` is aborted. Nothing without a model. */
  embedMissing(options?: {
    readonly signal?: AbortSignal
    readonly onProgress?: (progress: IndexProgress) => void
  }): Promise<IndexProgress>
  progress(collections?: readonly string[]): Promise<IndexProgress>
  /** Every document that can be found, by id: what has gone elsewhere can be removed, and what is missing indexed. */
  documents(): Promise<readonly KnownDocument[]>
  /** Ends what runs and waits until it has stopped. */
  close(): Promise<void>
}

/** How much the meaning of a passage counts beside its words. */
export interface MeaningSettings {
  /**
   * What a rank in the list by meaning is worth beside the same rank in the list by words, from 0 to 1. 0.1 unless given:
   * a model that was not chosen for the texts then hardly makes an answer worse (decision 0013).
   */
  readonly weight?: number
  /** The least cosine of question and passage that makes a passage an answer, from 0 to 1. Measured unless given. */
  readonly floor?: number
}

/** Turns texts into vectors of one length. */
export interface Embedder {
  /** Of the model, with everything that changes its vectors: another id means other vectors. */
  readonly id: string
  /** Texts of one call at most. */
  readonly batch: number
  embed(
    texts: readonly string[],
    options: { readonly kind: 'document' | 'query'; readonly signal?: AbortSignal },
  ): Promise<readonly Float32Array[]>
}
