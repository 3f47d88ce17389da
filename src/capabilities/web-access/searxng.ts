import { field, items } from './search-answer.ts'
import type { SearchWire } from './search-provider.ts'

/** SearXNG, which people run themselves (docs.searxng.org/dev/search_api). */
export const searxng: SearchWire = {
  name: 'SearXNG',
  request: (query) => ({ path: 'search', parameters: { q: query, format: 'json' } }),
  results: (answer) =>
    items(field(answer, 'results')).map((result) => ({
      url: field(result, 'url'),
      title: field(result, 'title'),
      content: field(result, 'content'),
      updated: field(result, 'publishedDate'),
      score: field(result, 'score'),
    })),
  advice: (status) => (status === 403 ? 'allow the format json in search.formats of its settings.yml' : undefined),
}
