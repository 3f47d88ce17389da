/** Search: an index of documents by words and by meaning, an index of session histories, and embedding models. */
export { type ChunkOptions, splitIntoChunks } from './search/chunks.ts'
export { aiSdkEmbedder, type AiSdkEmbedderOptions } from './search/embedder/ai-sdk.ts'
export { type EmbeddingPrefixes, knownPrefixes } from './search/embedder/known-prefixes.ts'
export type { EmbedderKind, EmbedderSettings } from './search/embedder/embedder-kind.ts'
export { type EmbeddingService, type EmbeddingWire, httpEmbedder } from './search/embedder/http-embedder.ts'
export type {
  Chunk,
  Embedder,
  IndexedDocument,
  IndexProgress,
  KnownDocument,
  MeaningSettings,
  SearchAnswer,
  SearchEngine,
  SearchHit,
  SearchQuery,
  SearchWay,
} from './search/engine.ts'
export type {
  HistoryItem,
  IndexedSession,
  LogPart,
  PassageKind,
  PassageNeighbour,
  RankedPassage,
  Recall,
  RecallAnswer,
  RecalledCall,
  RecallIndex,
  RecallQuery,
} from './search/recall.ts'
export { openRecallIndex, type RecallIndexOptions } from './search/recall/open-recall-index.ts'
export { SearchError, type SearchErrorCode } from './search/search-error.ts'
export { compactSearchIndex, copySearchIndex } from './search/sqlite/index-file.ts'
export { splitWords } from './search/words.ts'
export { openSqliteSearch, type SqliteSearchOptions } from './search/sqlite/open-sqlite-search.ts'
