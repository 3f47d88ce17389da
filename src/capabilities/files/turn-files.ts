import type { CapabilityHost, ChoiceFiles, PromptBlock, TurnPart, TurnQuestion } from '../../capability.ts'
import { documentsText, type FoundDocument, type FoundDocuments } from '../../citation.ts'
import { exactLine, type Layer, type Reason } from '../../context.ts'
import { defined, once } from '../../platform.ts'
import { mergeSameFiles } from '../../runtime.ts'
import type { SearchAnswer, SearchHit, SearchQuery } from '../../search.ts'
import type { FileOwner, FileRow } from '../../session.ts'
import type { Tool } from '../../tool.ts'
import type { FileService } from './file-service.ts'
import { collectionName, fileOwner } from './library.ts'
import { readAttachmentTool, searchAttachmentTool, searchOwnerFilesTool } from './file-tools.ts'

interface Parts {
  readonly service: FileService
  readonly choices: CapabilityHost['choices']
}

interface Chosen extends ChoiceFiles {
  readonly owner: FileOwner
  readonly rows: readonly FileRow[]
}

/** The files a turn may see. Texts go in full where chosen and where they fit (BEHAVIOURS §3.5), others by tools. */
export async function fileTurnPart({ service, choices }: Parts, question: TurnQuestion): Promise<TurnPart> {
  const [ofSession, chosen] = await Promise.all([
    sessionFiles(service, question),
    Promise.all(
      Object.entries(choices).flatMap(([name, { files }]) => {
        const id = question.choices[name]
        return files && id !== undefined ? [chosenFiles(service, name, id, files)] : []
      }),
    ),
  ])
  if (ofSession.length === 0 && chosen.length === 0) return {}
  const sent = chosen.find((each) => each.sent)
  const all: Omit<Visible, 'fit'> = {
    readsForeign: ofSession.length > 0 || chosen.some(({ rows }) => rows.length > 0),
    // Where blocks are skills, files are none of them.
    guides: question.layout.skills.guidance === 'tool-guidance',
    sent,
    others: chosen.filter((each) => each !== sent),
    ofSession,
  }
  if (!sent) return turnPart(service, { ...all, fit: undefined })
  const within = (room?: number) => turnPart(service, { ...all, fit: fileFit(sent.rows, question, room) })
  const whole = within()
  return whole.sources ? { ...whole, within } : whole
}

/** In a preview, files of the message are not the session's yet. */
async function sessionFiles(
  service: FileService,
  { session, attachments = [], keeps }: TurnQuestion,
): Promise<readonly FileRow[]> {
  const isOwn = ({ owner }: FileRow) => owner.type === 'session' && owner.id === session
  if (keeps || attachments.length === 0) {
    return session === undefined ? [] : service.files({ type: 'session', id: session })
  }
  // All of them, since their order is that of their uploads.
  return (await service.files()).filter((row) => isOwn(row) || attachments.includes(row.id))
}

async function chosenFiles(service: FileService, name: string, id: string, files: ChoiceFiles): Promise<Chosen> {
  const owner = fileOwner(name, id)
  const rows = await service.files(owner)
  // A file that was added twice is sent, counted and listed once.
  return { ...files, owner, rows: files.sent ? mergeSameFiles(rows, sameReading) : rows }
}

function sameReading({ hash, state }: FileRow): string {
  return `${state.type === 'ready' && state.reading.kind} ${hash}`
}

interface Visible {
  readonly readsForeign: boolean
  /** Whether words on when to use the tools are sent. */
  readonly guides: boolean
  readonly ofSession: readonly FileRow[]
  readonly sent: Chosen | undefined
  readonly fit: FileFit | undefined
  readonly others: readonly Chosen[]
}

function turnPart(service: FileService, visible: Visible): TurnPart {
  const { readsForeign, guides, sent, fit } = visible
  const blocks = fileTools(service, visible)
  const tools = blocks.flatMap((block) => block.tools)
  const given = { readsForeign, tools, ...(guides && { promptBlocks: blocks }) }
  if (!sent || !fit) return given
  // Each step of a turn sends the same texts: they are read once.
  const layers = once(() => fileLayers(service, sent.owner, fit))
  const part = { ...given, layers }
  if (!fit.fits) return part
  const sources = fit.files.map(({ id, name, time }, index) => ({
    citation: index + 1,
    document: id,
    title: name,
    updated: time,
  }))
  return { ...part, sources }
}

/** The texts, where they fit; otherwise their place in the account, with the numbers that decided. Spreadsheets are listed. */
async function fileLayers(service: FileService, { type, id }: FileOwner, fit: FileFit): Promise<readonly Layer[]> {
  const { fits, tokens, reason, files, tables } = fit
  const origin = { kind: 'file', ref: `${type}/${id}` } as const
  const documents = fits ? await Promise.all(files.map((row, index) => readDocument(service, row, index + 1))) : []
  const about = { id: type, layer: type, origin }
  return [
    ...(reason && fits
      ? [
          {
            ...about,
            renditions: [{ form: 'full', text: documentsText(documents) }],
            because: reason,
            frame: `files of the ${type}`,
          },
        ]
      : []),
    ...(reason && !fits ? [{ ...about, renditions: [{ form: 'full', text: '', tokens }], withheld: reason }] : []),
    ...(tables.length > 0
      ? [{ ...about, id: `${type}-tables`, renditions: [{ form: 'full', text: tablesText(type, tables) }] }]
      : []),
  ]
}

async function readDocument(service: FileService, row: FileRow, citation: number) {
  return { citation_id: citation, title: row.name, contents: (await service.text(row)) ?? '' }
}

function tablesText(type: string, tables: readonly FileRow[]): string {
  const lines = tables.map(
    (row) => `- ${exactLine(row.name)} (${row.id}): ${(rowSheets(row) ?? []).map(exactLine).join(', ')}`,
  )
  return [`Spreadsheets of this ${type}, to be read with read_attachment:`, ...lines].join('\n')
}

/** Each tool sees what its session may see, because it was made for it. With the words on when to use it. */
function fileTools(service: FileService, { sent, fit, others, ofSession }: Visible): readonly PromptBlock[] {
  const searched = sent && fit && !fit.fits && fit.files.length > 0 ? [{ ...sent, rows: fit.files }] : []
  const readable = [
    ...ofSession,
    ...others.flatMap(({ rows }) => rows),
    ...searched.flatMap(({ rows }) => rows),
    ...(fit?.tables ?? []),
  ].filter(hasText)
  const find = async (query: SearchQuery) => foundIn(await service.find(query))
  const searches = [...searched, ...others.filter(({ rows }) => rows.some(hasText))].map(({ owner, search }) =>
    toolBlock(
      searchOwnerFilesTool({
        ...search,
        search: (text, limit, signal) => find({ text, collections: [collectionName(owner)], limit, signal }),
      }),
      `Where the files of this ${owner.type} may say something, look with ${search.name} before you answer, and try other words before you say that they do not.`,
    ),
  )
  if (readable.length === 0) return searches
  const files = readable.map((row) => ({
    id: row.id,
    name: row.name,
    ...defined({ sheets: rowSheets(row) }),
    text: () => service.text(row),
  }))
  const search = async (file: string, text: string, signal: AbortSignal): Promise<FoundDocuments> => {
    const { owner } = readable.find(({ id }) => id === file)!
    const within = { collections: [collectionName(owner)], documents: [file] }
    const found = await find({ text, ...within, limit: 8, perDocument: 8, signal })
    const { state } = await service.file(file)
    const isWhole = state.type === 'ready' && 'content' in state.reading && state.reading.indexed
    return isWhole ? found : { degraded: NOT_YET, ...found }
  }
  return [
    ...searches,
    toolBlock(
      readAttachmentTool(files),
      'Where you need a whole file, or rows of a spreadsheet, read it with read_attachment.',
    ),
    toolBlock(
      searchAttachmentTool({ files, search }),
      'Find passages of a long file with search_attachment instead of reading it page by page.',
    ),
  ]
}

const NOT_YET = 'Its words are still being put into the index: search again in a while, or read it.'

function toolBlock(tool: Tool, promptBlock: string): PromptBlock {
  const { name, description = '' } = tool
  return { id: name, version: '1', description, promptBlock, tools: [tool] }
}

export function fileTurnTools(choices: CapabilityHost['choices']): readonly Tool[] {
  const nothing = async () => ({ documents: [] })
  const chosen = Object.values(choices).flatMap(({ files }) => files ?? [])
  const sentFirst = chosen.toSorted((a, b) => Number(b.sent) - Number(a.sent))
  const withText = 'sessions that have a file with text'
  return [
    ...sentFirst.map(({ search }) => listed(searchOwnerFilesTool({ ...search, search: nothing }), search.offeredIn)),
    listed(readAttachmentTool([]), withText),
    listed(searchAttachmentTool({ files: [], search: nothing }), withText),
  ]
}

function listed({ name, description, inputSchema, readsContext = false }: Tool, offeredIn: string): Tool {
  const error = `${name} works in ${offeredIn}, and no session asked here`
  const execute = async () => ({ ok: false, error }) as const
  return { name, ...defined({ description }), inputSchema, readsContext, offeredIn, execute }
}

function hasText({ state }: FileRow): boolean {
  return state.type === 'ready' && state.reading.kind !== 'image'
}

function foundIn({ hits, degraded }: SearchAnswer): FoundDocuments {
  return { documents: hits.map(foundDocument), ...defined({ degraded }) }
}

function foundDocument({ document, title, url, updated, chunk, score }: SearchHit): FoundDocument {
  const { text, start, end, page, headings } = chunk
  const place = { start, end, page, headings: headings.length > 0 ? headings : undefined }
  return defined({ document, title, content: text, url, updated, ...place, score })
}

/** Whether the files of what was chosen are sent in full, and the numbers that decided (BEHAVIOURS §3.5). */
interface FileFit {
  readonly fits: boolean
  /** Of all texts, by the model-agnostic counter. */
  readonly tokens: number
  /** Absent if no file has a text. */
  readonly reason?: Reason
  readonly files: readonly FileRow[]
  /** Spreadsheets: not counted, only listed. */
  readonly tables: readonly FileRow[]
}

/** Share of (window − reserve) that the files have to stay below. */
const SHARE = 0.6

/** Depends on the files and the model alone, not on the conversation. `most`: tokens that everything else leaves. */
export function fileFit(
  rows: readonly FileRow[],
  { window, reserve }: { readonly window: number; readonly reserve: number },
  most = Infinity,
): FileFit {
  const files = rows.filter(({ state }) => state.type === 'ready' && state.reading.kind === 'text')
  const tables = rows.filter((row) => rowSheets(row) !== undefined)
  const tokens = files.reduce((sum, row) => sum + rowTokens(row), 0)
  const limit = Math.max(0, Math.min(most, Math.round((window - reserve) * SHARE)))
  if (files.length === 0) return { fits: false, tokens, files, tables }
  const fits = tokens < limit
  const code = fits ? 'project-fits' : 'project-too-large'
  return { fits, tokens, reason: { code, tokens, limit, files: files.length }, files, tables }
}

function rowSheets({ state }: FileRow): readonly string[] | undefined {
  return state.type === 'ready' && state.reading.kind === 'table' ? state.reading.sheets : undefined
}

function rowTokens({ state }: FileRow): number {
  return state.type === 'ready' && state.reading.kind === 'text' ? state.reading.tokens : 0
}
