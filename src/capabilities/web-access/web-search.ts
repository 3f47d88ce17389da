import { type FoundDocument, resultsText } from '../../citation.ts'
import type { Tool, ToolSuccess } from '../../tool.ts'
import type { SearchProvider } from './search-services.ts'

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
