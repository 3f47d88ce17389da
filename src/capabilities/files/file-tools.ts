import type { Tool, ToolResult } from '../../tool.ts'
import { PAGE_CHARS, textPage } from '../../capability/toolkit.ts'
import { defined } from '../../platform.ts'
import type { FoundDocuments } from '../../citation.ts'

interface ReadableFile {
  readonly id: string
  readonly name: string
  /** Of a spreadsheet: the names of its sheets. */
  readonly sheets?: readonly string[]
  text(): Promise<string | undefined>
}

/** `read_attachment`: pages through a file that is not in the request whole; tables by rows and columns. */
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

interface TableQuestion {
  /** Name of a sheet. Default: the first one. */
  readonly sheet?: string
  /** The first row, from 1. */
  readonly row?: number
  /** Number of rows. Default: as many as fit on one page. */
  readonly rows?: number
  /** Letters as in a spreadsheet, or names from the first row. Default: all columns. */
  readonly columns?: readonly string[]
}

type TablePage = { readonly ok: true; readonly output: string } | { readonly ok: false; readonly error: string }

/**
 * Rows of a spreadsheet below the letters of its columns, each with its number in front and tabs between its cells.
 * `text`: each sheet under its name. Blank rows have no number.
 */
function tablePage(text: string, sheets: readonly string[], question: TableQuestion): TablePage {
  const { sheet = sheets[0] ?? '', row = 1, rows = mostRows, columns: wanted = [] } = question
  const index = sheets.indexOf(sheet)
  if (index < 0) return { ok: false, error: `there is no sheet ${sheet.slice(0, 100)}; there are ${sheets.join(', ')}` }
  const lines = sheetLines(text, sheets, index)
  const said = `Sheet ${sheet}: ${lines.length} rows`
  if (row > lines.length) return { ok: true, output: `[${said}; there is no row ${row}]` }
  const head = splitCells(lines[0])
  const asked = lines.slice(row - 1, row - 1 + Math.min(rows, mostRows)).map(splitCells)
  const width = [head, ...asked].reduce((most, { length }) => Math.max(most, length), 0)
  const picked = wanted.map((column) => [column, columnAt(column, head, width)] as const)
  const unknown = picked.flatMap(([column, at]) => (at === undefined ? [column.slice(0, 100)] : []))
  if (unknown.length > 0) {
    const known = `there are A to ${letters(Math.max(0, width - 1))}, with ${head.join(', ').slice(0, 1_000)} in the first row`
    return { ok: false, error: `there is no column ${unknown.join(', ')}; ${known}` }
  }
  const columns =
    wanted.length > 0 ? picked.flatMap(([, at]) => at ?? []) : Array.from({ length: width }, (_, at) => at)
  const shown = shownRows(asked, row, columns)
  const next = row + shown.length - 1
  const more = next <= lines.length ? `; go on with row ${next}` : ''
  return { ok: true, output: `${shown.join('\n')}\n[${said}, shown ${row} to ${next - 1}${more}]` }
}

/** The letters of the columns, and as many rows as fit on one page: at least one. */
function shownRows(asked: readonly (readonly string[])[], row: number, columns: readonly number[]): readonly string[] {
  const shown = [['', ...columns.map(letters)].join('\t')]
  let room = PAGE_CHARS
  for (const [index, cells] of asked.entries()) {
    const line = [row + index, ...columns.map((at) => cells[at] ?? '')].join('\t').trimEnd()
    room -= line.length + 1
    if (room < 0 && index > 0) break
    shown.push(textPage(line, 0))
  }
  return shown
}

function sheetLines(text: string, sheets: readonly string[], wanted: number): readonly string[] {
  const found: string[] = []
  let sheet = -1
  let before = ''
  for (const line of text.split('\n')) {
    if (before === '' && sheet + 1 < sheets.length && line === `# ${sheets[sheet + 1]}`) sheet += 1
    else if (line !== '' && sheet === wanted) found.push(line)
    before = line
  }
  return found
}

function splitCells(line: string | undefined): readonly string[] {
  return line === undefined ? [] : line.split('\t')
}

const mostRows = PAGE_CHARS / 2

/** A letter goes before a name: the first row is only perhaps a head. */
function columnAt(column: string, head: readonly string[], width: number): number | undefined {
  const wanted = column.trim()
  const named = head.findIndex((cell) => cell.toLowerCase() === wanted.toLowerCase())
  if (!/^[A-Z]{1,3}$/.test(wanted)) return named < 0 ? undefined : named
  let at = 0
  for (const letter of wanted) at = at * 26 + letter.charCodeAt(0) - 64
  if (at <= width) return at - 1
  return named < 0 ? undefined : named
}

/** 0 is `A`, 26 is `AA`. */
function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last
}
