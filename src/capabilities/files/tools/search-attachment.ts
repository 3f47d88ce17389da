import { defined } from '../../../platform.ts'
import type { Tool } from '../../../tool.ts'
import type { FoundDocuments } from '../../../citation.ts'
import { nothingFound } from './search-files.ts'
import { noSuchFile, type ReadableFile } from './read-attachment.ts'

export interface SearchAttachmentOptions {
  readonly files: readonly ReadableFile[]
  /** Passages of this one file. */
  search(file: string, query: string, signal: AbortSignal): Promise<FoundDocuments>
}

/** `search_attachment`: passages of one file of the conversation, with their places. */
export function searchAttachmentTool({ files, search }: SearchAttachmentOptions): Tool {
  return {
    name: 'search_attachment',
    description: 'Find passages in a file of this conversation by its id and words to look for.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string', minLength: 1 }, query: { type: 'string', minLength: 1, maxLength: 1_000 } },
      required: ['id', 'query'],
      additionalProperties: false,
    },
    idempotent: true,
    readsContext: true,
    origin: 'file',
    async execute(input, { signal }) {
      const { id, query } = input as { readonly id: string; readonly query: string }
      const file = files.find((each) => each.id === id)
      if (!file) return { ok: false, error: noSuchFile(id, files) }
      const { documents, degraded } = await search(id, query, signal)
      if (documents.length === 0) return nothingFound(`Nothing of that was found in ${file.name}.`, degraded)
      const meta = { documents, ...defined({ degraded }) }
      return { ok: true, output: documents.map(({ content }) => content).join('\n\n'), meta }
    },
  }
}
