import { field, items } from './search-answer.ts'
import type { SearchWire } from './search-provider.ts'

/** The Tavily Search API (docs.tavily.com). */
export const tavily: SearchWire = {
  name: 'Tavily',
  baseURL: 'https://api.tavily.com/',
  keyVariable: 'TAVILY_API_KEY',
  request: (query, limit, key) => ({
    path: 'search',
    headers: { authorization: `Bearer ${key}` },
    body: { query, max_results: limit, search_depth: 'basic' },
  }),
  results: (answer) =>
    items(field(answer, 'results')).map((result) => ({
      url: field(result, 'url'),
      title: field(result, 'title'),
      content: field(result, 'content'),
      updated: field(result, 'published_date'),
      score: field(result, 'score'),
    })),
}
