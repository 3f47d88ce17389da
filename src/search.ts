export { type ChunkOptions, chunksOf } from './search/chunks-of.ts'
export { aiSdkEmbedder, type AiSdkEmbedderOptions } from './search/embedder/ai-sdk.ts'
export { type EmbeddingPrefixes, knownPrefixes } from './search/embedder/known-prefixes.ts'
export { ollamaEmbedder } from './search/embedder/ollama.ts'
export { type OpenAICompatibleEmbedding, openaiCompatibleEmbedder } from './search/embedder/openai-compatible.ts'
export type { EmbeddingService } from './search/embedder/service.ts'
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
  PassageKind,
  PassageNeighbour,
  RankedPassage,
  Recall,
  RecallAnswer,
  RecalledCall,
  RecallQuery,
} from './search/recall.ts'
export { openRecallIndex, type RecallIndexOptions } from './search/recall/open-recall-index.ts'
export type { HistoryItem, IndexedSession, LogPart, RecallIndex } from './search/recall/recall-index.ts'
export { SearchError, type SearchErrorCode } from './search/search-error.ts'
export { compactSearchIndex, copySearchIndex } from './search/sqlite/index-file.ts'
export { wordsOf } from './search/words.ts'
export { openSqliteSearch, type SqliteSearchOptions } from './search/sqlite/open-sqlite-search.ts'
