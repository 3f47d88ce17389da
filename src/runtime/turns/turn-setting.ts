import type { CustomAgent, FoundDocument, FoundDocuments, Project } from '../../capability.ts'
import { readAttachmentTool, searchAttachmentTool } from '../../capability.ts'
import type { SearchAnswer, SearchEngine, SearchHit } from '../../search.ts'
import type { FileRow } from '../../session.ts'
import { SubjectError, type SubjectReading, type Subjects } from '../../capabilities/subjects/core.ts'
import type { Tool } from '../../tool.ts'
import type { ProjectValue } from '../../capabilities/agents/custom-agents.ts'
import type { EditedPrompt } from '../../capabilities/prompt/edited-prompt.ts'
import { collectionOf, type Library } from '../../capabilities/files/library.ts'
import type { TurnMemory } from '../../capabilities/memory/core/memory.ts'
import { onceEach } from '../sessions/once-each.ts'
import { type ProjectFit, projectFit } from '../../capabilities/projects/project-fit.ts'
import type { Records } from '../records.ts'
import { searchAgentFilesTool, searchProjectTool } from '../tools/session-tools.ts'

/** What a turn is answered with, besides what every turn has: decided once, before its first step. */
export interface TurnSetting {
  readonly prompt?: string
  /** The system prompt that the input of the turn brought along. */
  readonly system?: string
  readonly agent?: CustomAgent
  readonly project?: Project
  /** Of the project's files; absent where there is no project. */
  readonly fit?: ProjectFit
  /** The session, its agent or its project has files, whether they are sent or read by tools. */
  readonly hasFiles: boolean
  /** What the session is about; absent where it is about nothing, or its folder is gone. */
  readonly subject?: SubjectReading
  readonly memory?: TurnMemory
  /** Tools for the files that this session may see. */
  readonly tools: readonly Tool[]
  textOf(file: FileRow): Promise<string | undefined>
}

/** Where settings are found. */
export interface SettingParts {
  readonly prompt: EditedPrompt
  readonly projects: Records<ProjectValue>
  readonly subjects: Pick<Subjects, 'context'>
  readonly library: Library
  readonly engine: () => Promise<SearchEngine>
}

/** The session that is answered, and the room of the model that answers. */
export interface SettingQuestion {
  readonly session?: string
  readonly system?: string
  readonly agent?: CustomAgent
  readonly project?: string
  readonly subject?: string
  /** Tokens. */
  readonly window: number
  readonly reserve: number
  /** The most that the files of a project may take, tokens; absent where only their share of the window counts. */
  readonly roomForProject?: number
}

/** An agent or project that was removed meanwhile leaves its sessions to the default agent. */
export async function turnSetting(parts: SettingParts, question: SettingQuestion): Promise<TurnSetting> {
  const { library } = parts
  const { agent } = question
  const [prompt, project, subject] = await Promise.all([
    parts.prompt.text(),
    question.project === undefined ? undefined : found(parts.projects, question.project),
    question.subject === undefined ? undefined : readSubject(parts.subjects, question.subject),
  ])
  const [allOfProject, ofAgent, ofSession] = await Promise.all([
    project ? library.files({ type: 'project', id: project.id }) : [],
    agent ? library.files({ type: 'agent', id: agent.id }) : [],
    question.session === undefined ? [] : library.files({ type: 'session', id: question.session }),
  ])
  // What was handed in twice is sent, counted and listed once.
  const ofProject = onceEach(
    allOfProject,
    ({ hash, state }) => `${state.type === 'ready' && state.reading.kind} ${hash}`,
  )
  const fit = project && projectFit(ofProject, question, question.roomForProject)
  return {
    ...(prompt === undefined ? {} : { prompt }),
    ...(question.system === undefined ? {} : { system: question.system }),
    ...(agent ? { agent } : {}),
    ...(project ? { project } : {}),
    ...(fit ? { fit } : {}),
    ...(subject ? { subject } : {}),
    hasFiles: ofProject.length + ofAgent.length + ofSession.length > 0,
    tools: fileTools(parts, { project, agent, fit, ofAgent, ofSession }),
    textOf: remembered((file) => library.text(file)),
  }
}

/** Each step of a turn sends the same files: their texts are read once. */
function remembered(read: TurnSetting['textOf']): TurnSetting['textOf'] {
  const texts = new Map<string, Promise<string | undefined>>()
  return (file) => {
    const text = texts.get(file.id) ?? read(file)
    texts.set(file.id, text)
    return text
  }
}

/** `undefined` where its folder was removed meanwhile. */
async function readSubject(subjects: Pick<Subjects, 'context'>, id: string): Promise<SubjectReading | undefined> {
  try {
    return await subjects.context(id)
  } catch (error) {
    if (error instanceof SubjectError) return undefined
    throw error
  }
}

/** `undefined` where it was removed meanwhile. */
export async function found<Value>(
  records: Records<Value>,
  id: string,
): Promise<(Value & { readonly id: string }) | undefined> {
  const record = await records.find(id)
  return record && { ...record.value, id }
}

interface Visible {
  readonly project: Project | undefined
  readonly agent: CustomAgent | undefined
  readonly fit: ProjectFit | undefined
  readonly ofAgent: readonly FileRow[]
  readonly ofSession: readonly FileRow[]
}

/** Each tool sees what its session may see, because it was made for it. */
function fileTools({ engine, library }: SettingParts, visible: Visible): readonly Tool[] {
  const { project, agent, fit, ofAgent, ofSession } = visible
  const search = (collections: readonly string[]) => async (text: string, limit: number, signal: AbortSignal) => {
    return foundIn(await (await engine()).search({ text, collections, limit, signal }))
  }
  const searched = fit && !fit.fits && fit.files.length > 0 ? fit.files : []
  const readable = [...ofSession, ...ofAgent, ...searched, ...(fit?.tables ?? [])].filter(hasText)
  const files = readable.map((row) => ({ id: row.id, name: row.name, ...sheetsOf(row), text: () => library.text(row) }))
  const tools: Tool[] = []
  if (project && searched.length > 0) {
    const collections = [collectionOf({ type: 'project', id: project.id })]
    tools.push(searchProjectTool(search(collections)))
  }
  if (agent && ofAgent.some(hasText)) {
    const collections = [collectionOf({ type: 'agent', id: agent.id })]
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
