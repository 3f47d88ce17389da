import { projectPlugin } from '../capabilities/projects/projects.ts'
import { projectFit, type ProjectFit } from '../capabilities/projects/project-fit.ts'
import { type FileRoom, type FileRoomOptions, openFileRoom } from '../capabilities/files/file-room.ts'
import { collectionOf } from '../capabilities/files/library.ts'
import { searchFiles } from '../capabilities/files/search-files.ts'
import { readAttachmentTool } from '../capabilities/files/tools/read-attachment.ts'
import { searchAttachmentTool } from '../capabilities/files/tools/search-attachment.ts'
import {
  type AnyCapability,
  capability,
  type FileLibrary,
  pluginContext,
  type ProjectFiles,
  type TurnPart,
  type TurnQuestion,
} from '../capability.ts'
import type { FoundDocument, FoundDocuments, PromptDocument } from '../citation.ts'
import type { Reason } from '../context.ts'
import type { SearchAnswer, SearchHit } from '../search.ts'
import type { FileRow } from '../session.ts'
import type { Tool } from '../tool.ts'
import type { FileSearch, FileSearchAnswer } from './features.ts'
import { onceEach } from './sessions/once-each.ts'
import { searchAgentFilesTool, searchProjectTool, sessionTools } from './tools/session-tools.ts'

/** What files give others. */
export interface FileFeature extends FileLibrary {
  search(query: FileSearch): Promise<FileSearchAnswer>
}

type Options = Partial<Pick<FileRoomOptions, 'limits' | 'reader' | 'embedder' | 'meaning'>> & {
  readonly warnings?: readonly string[]
}

/** Files as a capability, as long as its own value is not there. */
export function filesFeature({ warnings = [], ...options }: Options): AnyCapability {
  const plugin = projectPlugin()
  let degraded: string | undefined
  return capability<unknown, FileFeature & { readonly room: FileRoom }>({
    name: 'files',
    start({ store, home: { data }, clock, counter, writes, warn }) {
      for (const warning of warnings) warn(warning)
      const room = openFileRoom({ ...options, store, data, clock, counter, readOnly: !writes, warn })
      const search = (query: FileSearch) => searchFiles(room.library, room.engine, query)
      return { ...room.library, room, search }
    },
    turn: ({ service: { room } }, question) => filesOfTurn(room, plugin, question),
    turnTools: () => sessionTools(),
    recover: ({ service }) => service.room.recover(),
    async sessionDeleted({ service }, session) {
      for (const { id } of await service.files({ type: 'session', id: session })) await service.remove(id)
    },
    async status({ service }) {
      const meaning = await service.room.meaning()
      degraded = meaning?.degraded
      return meaning ? { meaning } : {}
    },
    warnings: () => (degraded === undefined ? [] : [`Files are searched by words alone: ${degraded}`]),
    stop: ({ service }) => service.room.close(),
  })
}

async function filesOfTurn(
  room: FileRoom,
  plugin: ReturnType<typeof projectPlugin>,
  question: TurnQuestion,
  most?: number,
): Promise<TurnPart> {
  const { library } = room
  const { agent, project } = question.choices
  const [allOfProject, ofAgent, ofSession] = await Promise.all([
    project === undefined ? [] : library.files({ type: 'project', id: project }),
    agent === undefined ? [] : library.files({ type: 'agent', id: agent }),
    question.session === undefined ? [] : library.files({ type: 'session', id: question.session }),
  ])
  // What was handed in twice is sent, counted and listed once.
  const ofProject = onceEach(
    allOfProject,
    ({ hash, state }) => `${state.type === 'ready' && state.reading.kind} ${hash}`,
  )
  const fit = project === undefined ? undefined : projectFit(ofProject, question, most)
  const textOf = remembered((file) => library.text(file))
  return {
    tools: fileTools(room, { project, agent, fit, ofAgent, ofSession }),
    readsForeign: ofProject.length + ofAgent.length + ofSession.length > 0,
    ...(fit && project !== undefined
      ? {
          async layers(context) {
            const about = { id: project, name: '', instructions: '' }
            const files = await projectFiles(fit, textOf)
            return plugin.layers!({ ...pluginContext(context), project: about, files })
          },
        }
      : {}),
    ...(fit?.fits
      ? {
          sources: fit.files.map(({ id, name, time }, index) => ({
            citation: index + 1,
            document: id,
            title: name,
            updated: time,
          })),
          within: (tokens: number) => filesOfTurn(room, plugin, question, tokens),
        }
      : {}),
  }
}

type TextOf = (file: FileRow) => Promise<string | undefined>

/** Each step of a turn sends the same files: their texts are read once. */
function remembered(read: TextOf): TextOf {
  const texts = new Map<string, Promise<string | undefined>>()
  return (file) => {
    const text = texts.get(file.id) ?? read(file)
    texts.set(file.id, text)
    return text
  }
}

async function projectFiles(fit: ProjectFit, textOf: TextOf): Promise<ProjectFiles> {
  const documents = fit.fits
    ? await Promise.all(fit.files.map((file, index) => promptDocument(file, index, textOf)))
    : []
  return { documents, tokens: fit.tokens, reason: reasonOf(fit), tables: fit.tables.map(tableOf) }
}

async function promptDocument(file: FileRow, index: number, textOf: TextOf): Promise<PromptDocument> {
  return { citation_id: index + 1, title: file.name, contents: (await textOf(file)) ?? '' }
}

function reasonOf({ fits, tokens, limit, files }: ProjectFit): Reason | undefined {
  if (files.length === 0) return undefined
  return { code: fits ? 'project-fits' : 'project-too-large', tokens, limit, files: files.length }
}

function tableOf({ id, name, state }: FileRow): ProjectFiles['tables'][number] {
  const isTable = state.type === 'ready' && state.reading.kind === 'table'
  return { id, name, sheets: isTable ? state.reading.sheets : [] }
}

interface Visible {
  readonly project: string | undefined
  readonly agent: string | undefined
  readonly fit: ProjectFit | undefined
  readonly ofAgent: readonly FileRow[]
  readonly ofSession: readonly FileRow[]
}

/** Each tool sees what its session may see, because it was made for it. */
function fileTools({ engine, library }: FileRoom, visible: Visible): readonly Tool[] {
  const { project, agent, fit, ofAgent, ofSession } = visible
  const search = (collections: readonly string[]) => async (text: string, limit: number, signal: AbortSignal) => {
    return foundIn(await (await engine()).search({ text, collections, limit, signal }))
  }
  const searched = fit && !fit.fits && fit.files.length > 0 ? fit.files : []
  const readable = [...ofSession, ...ofAgent, ...searched, ...(fit?.tables ?? [])].filter(hasText)
  const files = readable.map((row) => ({ id: row.id, name: row.name, ...sheetsOf(row), text: () => library.text(row) }))
  const tools: Tool[] = []
  if (project !== undefined && searched.length > 0) {
    const collections = [collectionOf({ type: 'project', id: project })]
    tools.push(searchProjectTool(search(collections)))
  }
  if (agent !== undefined && ofAgent.some(hasText)) {
    const collections = [collectionOf({ type: 'agent', id: agent })]
    tools.push(searchAgentFilesTool(search(collections)))
  }
  if (files.length === 0) return tools
  return [
    ...tools,
    readAttachmentTool(files),
    searchAttachmentTool({
      files,
      async search(file, text, signal) {
        const { owner } = readable.find(({ id }) => id === file)!
        const query = { text, collections: [collectionOf(owner)], documents: [file], limit: 8, perDocument: 8, signal }
        return foundIn(await (await engine()).search(query))
      },
    }),
  ]
}

function sheetsOf({ state }: FileRow): { readonly sheets?: readonly string[] } {
  return state.type === 'ready' && state.reading.kind === 'table' ? { sheets: state.reading.sheets } : {}
}

function hasText({ state }: FileRow): boolean {
  return state.type === 'ready' && state.reading.kind !== 'image'
}

function foundIn({ hits, degraded }: SearchAnswer): FoundDocuments {
  return { documents: hits.map(documentOf), ...(degraded === undefined ? {} : { degraded }) }
}

function documentOf({ document, title, url, updated, chunk, score }: SearchHit): FoundDocument {
  const { text, start, end, page, headings } = chunk
  return {
    document,
    title,
    content: text,
    ...(url === undefined ? {} : { url }),
    ...(updated === undefined ? {} : { updated }),
    start,
    end,
    ...(page === undefined ? {} : { page }),
    ...(headings.length > 0 ? { headings } : {}),
    score,
  }
}
