import { elementsOf } from '../../platform.ts'
import { type FoundDocument, resultsText } from '../../citation.ts'
import type { Tool, ToolSuccess } from '../../tool.ts'

export interface SearchConfiguration {
  readonly kind: 'searxng' | 'brave' | 'tavily'
  /** Where it is, if not at its usual address; SearXNG has none. */
  readonly baseURL?: string | undefined
  /** Environment variable with the key. Default: `BRAVE_API_KEY` or `TAVILY_API_KEY`; SearXNG has no key. */
  readonly apiKeyEnv?: string | undefined
}

export interface SearchProvider {
  readonly name: string
  /** At most `limit` pages, best first, each once. Rejects with a sentence for the model, without any key. */
  search(query: string, limit: number, signal: AbortSignal): Promise<readonly FoundDocument[]>
}

/** The request and answer format of a provider. Sends nothing itself. */
export interface SearchWire {
  readonly name: string
  readonly baseURL?: string
  /** Usual variable of its key; absent if it has none. */
  readonly keyVariable?: string
  request(query: string, limit: number, key: string): SearchRequest
  /** Empty for anything unknown. */
  results(answer: unknown): readonly SearchResult[]
  /** How to fix a status, as the rest of a sentence. */
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

/** One raw result, not yet checked and cleaned. */
export interface SearchResult {
  readonly url: unknown
  readonly title: unknown
  readonly content: unknown
  readonly updated?: unknown
  readonly score?: unknown
}

/** The Brave Search API, web search (api-dashboard.search.brave.com). */
export const brave: SearchWire = {
  name: 'Brave Search',
  baseURL: 'https://api.search.brave.com/res/v1/',
  keyVariable: 'BRAVE_API_KEY',
  request: (query, limit, key) => ({
    path: 'web/search',
    parameters: { q: query, count: String(limit) },
    headers: { 'x-subscription-token': key },
  }),
  results: (answer) =>
    elementsOf(field(field(answer, 'web'), 'results')).map((result) => ({
      url: field(result, 'url'),
      title: plain(field(result, 'title')),
      content: plain(field(result, 'description')),
      updated: field(result, 'page_age'),
    })),
}

/** Removes HTML: Brave marks the searched words in its texts. */
function plain(text: unknown): unknown {
  if (typeof text !== 'string') return text
  return text
    .slice(0, 10_000)
    .replaceAll(/<\/?(?:strong|b|em|i|br)\s?\/?>/gi, '')
    .replaceAll(/&(?:amp|lt|gt|quot|apos|nbsp|#39|#x27);/gi, (entity) => entities[entity.toLowerCase()] ?? entity)
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&#x27;': "'",
  '&nbsp;': ' ',
}

export const searxng: SearchWire = {
  name: 'SearXNG',
  request: (query) => ({ path: 'search', parameters: { q: query, format: 'json' } }),
  results: scoredResults('publishedDate'),
  advice: (status) => (status === 403 ? 'allow the format json in search.formats of its settings.yml' : undefined),
}

export const tavily: SearchWire = {
  name: 'Tavily',
  baseURL: 'https://api.tavily.com/',
  keyVariable: 'TAVILY_API_KEY',
  request: (query, limit, key) => ({
    path: 'search',
    headers: { authorization: `Bearer ${key}` },
    body: { query, max_results: limit, search_depth: 'basic' },
  }),
  results: scoredResults('published_date'),
}

/** `dated`: the field with the date of a page. */
function scoredResults(dated: string): SearchWire['results'] {
  return (answer) =>
    elementsOf(field(answer, 'results')).map((result) => ({
      url: field(result, 'url'),
      title: field(result, 'title'),
      content: field(result, 'content'),
      updated: field(result, dated),
      score: field(result, 'score'),
    }))
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

/** Default number of results of one search, and the highest limit. */
const USUAL_RESULTS = 8
const MOST_RESULTS = 20

const LONGEST_QUERY = 400

export function webSearchTool({ provider }: { readonly provider: SearchProvider }): Tool {
  return {
    name: 'web_search',
    description: 'Search the web. Gives numbered excerpts to cite, each with the URL of its page.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: LONGEST_QUERY },
        limit: { type: 'integer', minimum: 1, maximum: MOST_RESULTS },
      },
      required: ['query'],
      additionalProperties: false,
    },
    origin: 'web',
    afterUntrusted: 'allow',
    idempotent: true,
    timeoutMs: 60_000,
    maxShownChars: 60_000,
    inputError: ({ query }) =>
      typeof query === 'string' && query.trim() === '' ? 'web_search needs a "query": words to search for' : undefined,
    async execute(input, { signal }) {
      const { query, limit = USUAL_RESULTS } = input as { readonly query: string; readonly limit?: number }
      try {
        const found = await provider.search(query.trim(), limit, signal)
        return found.length > 0 ? webResults(found) : { ok: true, output: 'Nothing was found. Try other words.' }
      } catch (error) {
        const why = error instanceof Error ? error.message : 'for a reason that it did not tell'
        return { ok: false, error: `${provider.name} could not be searched: ${why}` }
      }
    },
  }
}

/** An answer whose documents have numbers from 1, as long as nobody gives them those of the turn (BEHAVIOURS §3.6). */
export function webResults(documents: readonly FoundDocument[]): ToolSuccess {
  const numbers = new Map<string, number>()
  for (const { document } of documents) if (!numbers.has(document)) numbers.set(document, numbers.size + 1)
  const results = documents.map(({ document, title, url, updated, content }) => ({
    citation_id: numbers.get(document)!,
    title,
    ...(url !== undefined && { url }),
    ...(updated !== undefined && { updated_at: updated }),
    content,
  }))
  return { ok: true, output: resultsText(results), meta: { documents } }
}
