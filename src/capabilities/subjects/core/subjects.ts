import { z } from 'zod'
import { type Clock, ForewordError, type ForewordErrorOptions } from '../../../platform.ts'

/** The folders of subjects and tastes. Reads tolerate whatever they find; writes keep whole lines and whole files. */
export interface Subjects {
  /** By id, in the order of their names. Folders whose names are no ids are left out. */
  list(): Promise<readonly SubjectFacts[]>
  /** Whether there is any. Costs less than a list. */
  any(): Promise<boolean>
  /** Rejects with `exists`, and with `invalid-input` for what is no id. */
  create(id: string, options?: { readonly brief?: string }): Promise<void>
  /** Rejects with `not-found` where there is no folder; an empty one is a fresh subject. */
  context(id: string): Promise<SubjectReading>
  /** A part of the notes, by lines. Rejects with `not-found`. */
  notes(id: string, page?: NotesQuery): Promise<NotesPage>
  /** One more line in `log.jsonl`, on disk when it resolves. */
  logOperation(id: string, operation: OperationEntry): Promise<LogRecord>
  /** One more line in `vocabulary_gaps.jsonl`, on disk when it resolves. */
  logGap(id: string, gap: GapEntry): Promise<GapRecord>
  /** The whole text of a file that can be written, exactly as it is on disk; empty where there is none. */
  text(file: SubjectFile): Promise<string>
  /** Whole, or not at all. `before` is the text that was looked at: rejects with `changed` where it has changed. */
  replace(file: SubjectFile, change: { readonly before: string; readonly text: string }): Promise<void>
}

/** A file that a confirmed proposal changes. `name` is that of a taste, without `.md`. */
export type SubjectFile = z.infer<typeof subjectFile>

const subjectFile = z.discriminatedUnion('type', [
  z.object({ type: z.literal('notes'), subject: z.string() }),
  z.object({ type: z.literal('taste'), name: z.string() }),
])

export type SubjectFacts = Omit<ListedSubject, 'waiting'>

export type ListedSubject = z.infer<typeof listedSubject>

export const listedSubject = z.object({
  id: z.string(),
  title: z.string().describe('The first line of the brief that has a letter or digit; empty where there is none.'),
  updated: z.string().describe('When one of its files was last changed. ISO 8601.'),
  waiting: z.number().describe('Waiting proposals about its notes.'),
})

export interface SubjectReading {
  readonly id: string
  readonly context: SubjectContext
  /** Sentences, such as how many lines of a log could not be read. */
  readonly warnings: readonly string[]
}

export interface NotesQuery {
  /** Lines to skip at the beginning. Default: 0. */
  readonly offset?: number
  /** The most lines. Default: 200. */
  readonly limit?: number
}

export type NotesPage = z.infer<typeof notesPageSchema>

export const notesPageSchema = z.object({
  text: z.string(),
  offset: z.number(),
  lines: z.number(),
  total: z.number(),
  next_offset: z.number().nullable().describe('Offset of the next page; null at the end.'),
})

export interface OperationEntry {
  readonly op: string
  readonly details?: Readonly<Record<string, unknown>>
  /** ISO 8601. */
  readonly timestamp: string
}

/** A gap as it is reported; what is not known is left out. */
export type GapEntry = Partial<Omit<GapRecord, 'description' | 'timestamp' | 'image_id'>> & {
  readonly description: string
  /** ISO 8601. */
  readonly timestamp: string
}

/** The answer of every endpoint and tool, always with every key (BEHAVIOURS §4). Its names are those of the files. */
export interface SubjectContext {
  readonly tastes: Tastes
  readonly brief: Brief
  readonly notes: Notes
  /** The last 10, newest first. */
  readonly recent_log: readonly LogRecord[]
  /** The last 10, newest first. */
  readonly recent_gaps: readonly GapRecord[]
}

interface Tastes {
  /** Text of `_default.md`; empty where there is none. */
  readonly default: string
  /** By name, in the order in which the brief declares them. */
  readonly genres: Readonly<Record<string, string>>
  readonly conflicts: readonly Conflict[]
}

/** A line that is in two or more genre files. Nobody decides between them but the people concerned. */
export interface Conflict {
  readonly point: string
  readonly files: readonly string[]
}

export interface Brief {
  /** All of `brief.md`. */
  readonly raw: string
  /** The same without its declarations of tastes, trimmed. */
  readonly intent: string
  /** Names that the declaration gives, whether or not there are files of them. */
  readonly tastes: readonly string[]
}

export interface Notes {
  readonly summary: string
  /** Something of the notes is not in the summary. */
  readonly truncated: boolean
}

export interface LogRecord {
  /** Empty where the line has none; so is `op`. */
  readonly timestamp: string
  readonly op: string
  /** All other keys of the line. */
  readonly details: Readonly<Record<string, unknown>>
}

/** One line of `vocabulary_gaps.jsonl`: something that the words or tools at hand could not do. */
export interface GapRecord {
  readonly timestamp: string
  readonly image_id: string
  readonly description: string
  readonly session_id: string | null
  readonly snapshot_hash: string | null
  readonly intent: string | null
  readonly intent_category: string
  readonly missing_capability: string | null
  readonly operations_involved: readonly string[]
  readonly vocabulary_used: readonly string[]
  readonly satisfaction: -1 | 0 | 1 | null
  readonly workaround: string | null
  readonly notes: string
}

/** Where subjects and tastes are; absolute. Neither has to be there. */
export interface SubjectFolders {
  readonly directory: string
  readonly tastes: string
}

export interface SubjectsOptions extends SubjectFolders {
  readonly clock: Clock
  /** The most of one text, characters. */
  readonly maxTextChars: number
  /** The most characters of a whole context as JSON. Default: 50,000. */
  readonly maxReplyChars?: number | undefined
  /** Asked only for notes of more than 40 lines. Where it fails or has no answer, their beginning and end are shown. */
  readonly summaryOf?: (notes: SummaryRequest) => Promise<string | undefined>
}

export interface SummaryRequest {
  readonly subject: string
  readonly text: string
  readonly lines: number
  /** SHA-256 of the text as UTF-8, lowercase hexadecimal: a summary covers exactly that text. */
  readonly sha256: string
}

/** For programs. `not-found` is the one that BEHAVIOURS §4 names. */
export type SubjectErrorCode =
  | 'not-found'
  | 'invalid-input'
  /** A subject of that id is there already. */
  | 'exists'
  /** Somebody changed it between the look and the change. */
  | 'changed'
  /** A proposal was decided already, or is not the one that was shown. */
  | 'decided'
  /** A file or folder cannot be written; the message names it and the reason. */
  | 'unwritable'

export class SubjectError extends ForewordError {
  override readonly name = 'SubjectError'
  declare readonly code: SubjectErrorCode

  constructor(
    code: SubjectErrorCode,
    message: string,
    facts?: Readonly<Record<string, unknown>>,
    options?: ForewordErrorOptions,
  ) {
    super(code, message, facts, options)
  }
}

const tasteCategory = z.enum(['appearance', 'process', 'value'])

export type TasteCategory = z.infer<typeof tasteCategory>

export const tasteCategories: readonly TasteCategory[] = tasteCategory.options

export type ProposalSource = z.infer<typeof proposalSource>

const proposalSource = z.object({
  session: z.string().optional(),
  turn: z.string().optional(),
  toolCallId: z.string().optional(),
  tool: z.string(),
  client: z.string().optional().describe('The program that asked over MCP, by its own name.'),
})

export type ProposalState = z.infer<typeof proposalState>

const decided = {
  by: z.string().describe('The interface over which a person decided, such as `cli`, `http` or `mcp`.'),
  time: z.string(),
}

const proposalState = z.discriminatedUnion('type', [
  z.object({ type: z.literal('waiting') }),
  z.object({ type: z.literal('confirmed'), ...decided }),
  z.object({ type: z.literal('declined'), ...decided, reason: z.string().optional() }),
  z.object({ type: z.literal('undone'), ...decided }),
])

/** What a model would like to write and a person confirms. It survives a restart and is used once (BEHAVIOURS §4). */
export type Proposal = z.infer<typeof proposalSchema>

export const proposalSchema = z.object({
  id: z.string(),
  time: z.string(),
  file: subjectFile,
  content: z.string().describe('What is added at the end of the file.'),
  category: tasteCategory.optional(),
  digest: z
    .string()
    .describe('SHA-256 over the file, the content and the category: a decision applies to exactly that.'),
  diff: z
    .string()
    .describe('A unified diff: while it waits, of the change it would make; afterwards, of the change that was made.'),
  by: proposalSource.describe('Which session, turn and tool asked for it.'),
  state: proposalState,
})

export type ProposalDraft =
  | { readonly type: 'notes'; readonly subject: string; readonly content: string }
  | { readonly type: 'taste'; readonly name: string; readonly content: string; readonly category: TasteCategory }

/** A person's word on a proposal. `digest` has to be the one of what was shown. */
export interface ProposalDecision {
  readonly type: 'confirm' | 'decline'
  readonly digest: string
  readonly by: string
  readonly reason?: string
}

/** Rejects with `SubjectError`: `not-found`, `decided`, `changed`, `invalid-input`, `unwritable`. */
export interface Proposals {
  /** On disk when it resolves. The very same draft, still waiting, is answered again and not stored twice. */
  propose(draft: ProposalDraft, by: ProposalSource): Promise<Proposal>
  /** Oldest first; all proposals, or those in one state. */
  list(options?: { readonly state?: ProposalState['type'] }): Promise<readonly Proposal[]>
  /** Files that waiting proposals would change, oldest first; computes no difference. */
  waiting(): Promise<readonly SubjectFile[]>
  get(id: string): Promise<Proposal>
  decide(id: string, decision: ProposalDecision): Promise<Proposal>
  /** Reverts a confirmed proposal. Edits that people made since stay; where they cannot be separated, rejects with `changed`. */
  undo(id: string, by: string): Promise<Proposal>
}

/** Whether every line that would be added is in the diff. One of a great change, or beside very long lines, is cut. */
export function diffShowsAll({ diff, content }: Pick<Proposal, 'diff' | 'content'>): boolean {
  const shown = new Set(diff.split(/\r?\n/))
  return content.split(/\r\n|\n|\r/).every((line) => shown.has(`+${line}`))
}

/** Room is left for endings, as a file name has at most 255 bytes. */
const LONGEST = 200

/** Whether a text can name the folder of a subject, or a taste without `.md`: `[A-Za-z0-9_.-]+`, no `..` (BEHAVIOURS §4). */
export function isSubjectName(text: string): boolean {
  return text.length <= LONGEST && /^[A-Za-z0-9_.-]+$/.test(text) && text !== '.' && !text.includes('..')
}

export const defaultTaste = '_default'

/** In words, for errors. */
export const nameRule = `letters, digits, "_", "-" and ".", without "..", at most 200 of them`

/** An id that somebody gave, for errors: in quotes, and no longer than a line. */
export function quotedId(id: string): string {
  return JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}…` : id)
}
