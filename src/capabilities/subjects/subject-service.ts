import { type CapabilityHost, RuntimeError } from '../../capability.ts'
import { rememberWhileUnchanged } from '../../platform.ts'
import type { OfferedWhile, Tool } from '../../tool.ts'
import { openSubjects } from './core/open-subjects.ts'
import { type OperationAnswer, type SubjectOperation, subjectOperations } from './core/subject-operations.ts'
import { type Proposals, SubjectError, type SubjectReading, type Subjects } from './core/subjects.ts'
import { createNotesSummaries, type NotesSummary } from './notes-summaries.ts'
import { createProposals } from './proposals/proposals.ts'
import type { SubjectSettings } from './subject-settings.ts'

export interface SubjectService {
  readonly subjects: Subjects
  readonly proposals: Proposals
  /** Rejects with `SubjectError` and `RuntimeError`. */
  summariseNotes(subject: string): Promise<NotesSummary>
}

export type RunningSubjects = Awaited<ReturnType<typeof startSubjects>>

export async function startSubjects(host: CapabilityHost<SubjectSettings>) {
  const { settings, store, clock, writes } = host
  const { default: usual, directory, tastes, maxTextChars, maxReplyChars, summarize, summaryModel } = settings
  const summaries = createNotesSummaries({
    store,
    clock,
    // Not called before every capability has started.
    complete: (input) => host.runtime.complete(input),
    notesOf: (subject) => subjects.text({ type: 'notes', subject }),
    enabled: summarize,
    asksByItself: writes,
    model: summaryModel,
    warn: (text) => host.warn(text),
  })
  const { summaryOf } = summaries
  const subjects = openSubjects({
    clock,
    directory,
    tastes,
    maxTextChars,
    maxReplyChars,
    ...(summarize && { summaryOf }),
  })
  const proposals = createProposals({ store, subjects, clock })
  // Their definitions cost a thousand tokens in every request: nothing for a home without subjects.
  const any = rememberWhileUnchanged(clock, { folders: [directory] }, () => subjects.any())
  const offeredWhile = { what: 'there is a subject', isSo: any.value }
  const operations = subjectOperations({ subjects, proposals, time: () => clock.time() })
  const tools = operations.map((operation) => subjectTool(operation, offeredWhile))
  let warnings: readonly string[] = []
  async function reload(): Promise<void> {
    warnings = usual === undefined ? [] : await defaultWarnings(usual, subjects)
  }

  await reload()
  return {
    subjects,
    proposals,
    summariseNotes: summaries.summarize,
    /** What a model may do with subjects (BEHAVIOURS §4). None of them confirms a proposal. */
    tools,
    /** The layer for a turn; `undefined` if the folder of the subject was removed meanwhile. */
    read: (subject: string): Promise<SubjectReading | undefined> => orMissing(subjects.context(subject)),
    /** Rejects with a `RuntimeError` `not-found`, as every choice of a session does. */
    async assertExists(subject: string): Promise<void> {
      try {
        await subjects.notes(subject, { limit: 1 })
      } catch (error) {
        if (!(error instanceof SubjectError) || error.code !== 'not-found') throw error
        throw new RuntimeError('not-found', error.message, error.facts, { cause: error })
      }
    },
    /** Checks again whether the default subject exists. */
    reload,
    warnings: () => warnings,
    idle: summaries.idle,
    /** Aborts the running calls of a model. */
    async close(): Promise<void> {
      any.close()
      await summaries.stop()
    },
  }
}

async function orMissing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof SubjectError) return undefined
    throw error
  }
}

/** Turns run without a default subject that does not exist; the warning tells its owner. */
async function defaultWarnings(usual: string, subjects: Subjects): Promise<readonly string[]> {
  try {
    // Reading the context would summarize long notes, and no model is available yet.
    await subjects.notes(usual, { limit: 1 })
    return []
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error
    return [`subjects.default: ${error.message}`]
  }
}

/** Characters of one result. The context of a subject with several tastes is longer than most results. */
const MOST_SHOWN = 64_000

/** An operation as a tool of the gateway. It answers with JSON, and with a line below of warnings about the files. */
export function subjectTool(
  { name, description, inputSchema, readOnly, faultOf, run }: SubjectOperation,
  offeredWhile: OfferedWhile,
): Tool {
  return {
    name,
    description,
    inputSchema,
    idempotent: readOnly,
    maxShownChars: MOST_SHOWN,
    offeredWhile,
    // What it writes is a record of the subject, or a proposal about which a person decides.
    afterUntrusted: 'allow',
    origin: readOnly ? 'file' : 'operator',
    ...(!readOnly && { results: 'own' as const }),
    inputError: faultOf,
    async execute(input, { session, turn, toolCallId }) {
      try {
        // The toolbox has checked it against the schema above.
        const given = input as Readonly<Record<string, unknown>>
        return { ok: true, output: answerText(await run(given, { session, turn, toolCallId })) }
      } catch (error) {
        if (error instanceof SubjectError) return { ok: false, error: `${error.code}: ${error.message}` }
        throw error
      }
    },
  }
}

function answerText({ data, warnings }: OperationAnswer): string {
  const json = JSON.stringify(data, undefined, 1)
  return warnings.length === 0 ? json : `${json}\nWarnings: ${warnings.join('; ')}`
}
