import type { Tool, ToolResult } from '../../tool.ts'
import { PAGE_CHARS, textPage } from '../../capability/toolkit.ts'
import { defined } from '../../platform.ts'
import type { FoundDocuments } from '../../citation.ts'
import { tablePage, type TableQuestion } from './table-page.ts'

interface ReadableFile {
  readonly id: string
  readonly name: string
  /** Of a spreadsheet: the names of its sheets. */
  readonly sheets?: readonly string[]
  text(): Promise<string | undefined>
}

/**
 * `read_attachment`: pages through a file of the conversation that the request does not include whole. A spreadsheet
 * is read by rows and columns (BEHAVIOURS §3.5).
 */
export function readAttachmentTool(files: readonly ReadableFile[]): Tool {
  const hasTables = files.some(({ sheets }) => sheets !== undefined)
  const ofText = 'Read a file of this conversation by its id, page by page: "offset" and "limit" in characters.'
  return {
    name: 'read_attachment',
    description: hasTables ? `${ofText} ${ofTables}` : ofText,
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', minLength: 1 },
        offset: { type: 'integer', minimum: 0 },
        limit: { type: 'integer', minimum: 1, maximum: PAGE_CHARS },
        ...(hasTables ? tableProperties : {}),
      },
      required: ['id'],
      additionalProperties: false,
    },
    idempotent: true,
    readsContext: true,
    reads: 'files',
    origin: 'file',
    readsFrom: ({ id }) => [fileName(files, id)],
    async execute(input) {
      const question = input as { id: string; offset?: number; limit?: number } & TableQuestion
      const { id, offset, limit = PAGE_CHARS } = question
      const file = files.find((each) => each.id === id)
      if (!file) return { ok: false, error: noSuchFile(id, files) }
      const text = await file.text()
      if (text === undefined) return { ok: false, error: `${file.name} has no text that could be read` }
      if (file.sheets && offset === undefined) return tablePage(text, file.sheets, question)
      return { ok: true, output: textPage(text, offset ?? 0, limit) }
    },
  }
}

const ofTables =
  'Of a spreadsheet: from "row" on, so many "rows", only these "columns" (letters or headings), of one "sheet".'

const tableProperties = {
  sheet: { type: 'string' },
  row: { type: 'integer', minimum: 1 },
  rows: { type: 'integer', minimum: 1 },
  columns: { type: 'array', items: { type: 'string' } },
}

function fileName(files: readonly ReadableFile[], id: unknown): string {
  return files.find((each) => each.id === id)?.name ?? String(id)
}

function noSuchFile(id: string, files: readonly ReadableFile[]): string {
  const shown = files.slice(0, 50).map((file) => `${file.id} (${file.name})`)
  return `there is no file ${id.slice(0, 100)} in this conversation; there are ${shown.join(', ') || 'none'}`
}

interface SearchAttachmentOptions {
  readonly files: readonly ReadableFile[]
  search(file: string, query: string, signal: AbortSignal): Promise<FoundDocuments>
}

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
    readsFrom: ({ id }) => [fileName(files, id)],
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

interface SearchFilesOptions {
  readonly name: string
  readonly description: string
  /** Narrowed to what the session may see. */
  search(query: string, limit: number, signal: AbortSignal): Promise<FoundDocuments>
}

const MOST = 25

/** Searches files that a session may see; its results have numbers that can be cited. */
export function searchOwnerFilesTool({ name, description, search }: SearchFilesOptions): Tool {
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

/** Names what the search could not cover: a file that was not found may still be there. */
function nothingFound(text: string, degraded: string | undefined): ToolResult {
  return { ok: true, output: degraded === undefined ? text : `${text} ${degraded}` }
}
