import { defined } from '../../../platform.ts'
import type { Tool, ToolResult } from '../../../tool.ts'
import type { FoundDocuments } from '../../../citation.ts'

export interface SearchFilesOptions {
  readonly name: string
  readonly description: string
  /** Already narrowed to what the session may see. */
  search(query: string, limit: number, signal: AbortSignal): Promise<FoundDocuments>
}

const MOST = 25

/** Searches files that a session may see; its results have numbers that can be cited. */
export function searchFilesTool({ name, description, search }: SearchFilesOptions): Tool {
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1_000 },
        limit: { type: 'integer', minimum: 1, maximum: MOST },
      },
      required: ['query'],
      additionalProperties: false,
    },
    idempotent: true,
    readsContext: true,
    origin: 'file',
    async execute(input, { signal }) {
      // The toolbox has checked it against the schema above.
      const { query, limit = 10 } = input as { readonly query: string; readonly limit?: number }
      const { documents, degraded } = await search(query, limit, signal)
      if (documents.length === 0) return nothingFound('Nothing was found. Try other words.', degraded)
      return {
        ok: true,
        output: documents.map(({ title, content }) => `${title}\n${content}`).join('\n\n'),
        meta: { documents, ...defined({ degraded }) },
      }
    },
  }
}

/** Also what was not found may be there, where a search was not as good as it can be. */
export function nothingFound(text: string, degraded: string | undefined): ToolResult {
  return { ok: true, output: degraded === undefined ? text : `${text} ${degraded}` }
}
