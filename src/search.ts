export { type ChunkOptions, chunksOf } from './search/chunks-of.ts'
export type {
  Chunk,
  Embedder,
  IndexedDocument,
  IndexProgress,
  KnownDocument,
  SearchEngine,
  SearchHit,
  SearchQuery,
} from './search/engine.ts'
export { SearchError, type SearchErrorCode } from './search/search-error.ts'
export { openSqliteSearch, type SqliteSearchOptions } from './search/sqlite/open-sqlite-search.ts'
