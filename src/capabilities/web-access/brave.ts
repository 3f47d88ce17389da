import { field, items } from './search-answer.ts'
import type { SearchWire } from './search-provider.ts'

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
    items(field(field(answer, 'web'), 'results')).map((result) => ({
      url: field(result, 'url'),
      title: plain(field(result, 'title')),
      content: plain(field(result, 'description')),
      updated: field(result, 'page_age'),
    })),
}

/** Its texts are pieces of HTML, in which the words that were looked for are marked. */
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
