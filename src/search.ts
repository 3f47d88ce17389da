/** Search: an index of documents by words and by meaning, an index of session histories, and embedding models. */
export {
  knownPrefixes,
  type EmbedderKind,
  type EmbeddingService,
  httpEmbedder,
} from './search/embedder/http-embedder.ts'
export type {
  Embedder,
  IndexProgress,
  MeaningSettings,
  SearchAnswer,
  SearchEngine,
  SearchHit,
  SearchQuery,
} from './search/search-engine.ts'
export type {
  HistoryItem,
  IndexedSession,
  LogPart,
  PassageNeighbour,
  RankedPassage,
  Recall,
  RecallAnswer,
  RecallIndex,
  ReplacedMessage,
} from './search/recall.ts'
export { openRecallIndex } from './search/recall/open-recall-index.ts'
export { SearchError } from './search/search-error.ts'
export { compactSearchIndex, copySearchIndex } from './search/sqlite/index-file.ts'
export { splitWords } from './search/words.ts'
export { openSqliteSearch } from './search/sqlite/open-sqlite-search.ts'
