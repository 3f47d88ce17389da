import type { FoundDocument } from '../../capability/cited-document.ts'

/** `web.search` of the configuration. */
export interface SearchConfiguration {
  readonly kind: 'searxng' | 'brave' | 'tavily'
  /** Where it is, if not at its usual address; SearXNG has none. */
  readonly baseURL?: string | undefined
  /** Environment variable that holds the key. `BRAVE_API_KEY` or `TAVILY_API_KEY` unless given; SearXNG takes none. */
  readonly apiKeyEnv?: string | undefined
}

/** Searches the web. */
export interface SearchProvider {
  /** As people call it. */
  readonly name: string
  /** At most `limit` pages, the best first, each once. Rejects with a sentence for the model, which holds no key. */
  search(query: string, limit: number, signal: AbortSignal): Promise<readonly FoundDocument[]>
}

/** How a provider is spoken to. A value: it asks nobody. */
export interface SearchWire {
  readonly name: string
  readonly baseURL?: string
  /** Usual variable of its key; absent where it takes none. */
  readonly keyVariable?: string
  request(query: string, limit: number, key: string): SearchRequest
  /** What an answer of it holds; whatever else it is, nothing. */
  results(answer: unknown): readonly SearchResult[]
  /** What may be done about a status, as the rest of a sentence. */
  advice?(status: number): string | undefined
}

export interface SearchRequest {
  /** Below the base URL. */
  readonly path: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, with POST. */
  readonly body?: Readonly<Record<string, unknown>>
}

/** One result as it came, to be checked and cleaned. */
export interface SearchResult {
  readonly url: unknown
  readonly title: unknown
  readonly content: unknown
  readonly updated?: unknown
  readonly score?: unknown
}
