import type { Tool } from '../../../tool.ts'
import { PAGE_CHARS, textPage } from '../../../capability.ts'
import { tablePage, type TableQuestion } from './table-page.ts'

/** A file that the session may read, with its text. */
export interface ReadableFile {
  readonly id: string
  readonly name: string
  /** Of a spreadsheet: the names of its sheets. */
  readonly sheets?: readonly string[]
  text(): Promise<string | undefined>
}

/**
 * `read_attachment`: pages through a file of the conversation that does not stand before the model, or not as a whole. A
 * spreadsheet is read by rows and columns (BEHAVIOURS §3.5); words about them are sent only where there is one.
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

/** What a model may ask for instead. */
export function noSuchFile(id: string, files: readonly ReadableFile[]): string {
  const shown = files.slice(0, 50).map((file) => `${file.id} (${file.name})`)
  return `there is no file ${id.slice(0, 100)} in this conversation; there are ${shown.join(', ') || 'none'}`
}
