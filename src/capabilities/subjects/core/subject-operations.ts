import {
  faultFinder,
  gapLists,
  gapTexts,
  inputSchemas,
  outputSchemas,
  subjectIn,
  type SubjectOperationName,
  tasteIn,
} from './operation-schemas.ts'
import type { Proposal, ProposalDraft, Proposals, ProposalSource, TasteCategory } from './proposal.ts'
import { changedFile } from './subject-folders.ts'
import type { GapEntry, Subjects } from './subjects.ts'

/** The definitions of the operations, in the order in which they are offered. They need no open subjects. */
export const operationFacts: readonly Omit<SubjectOperation, 'run'>[] = [
  {
    name: 'read_context',
    title: 'Read the context of a subject',
    description:
      'Reads what is known of a subject in one call: the tastes of its owner, its brief, its notes, and what was done last. ' +
      'Use it before you begin to work on a subject. Where a line stands in several tastes (conflicts), ask the person.',
    inputSchema: inputSchemas.readContext,
    outputSchema: outputSchemas.readContext,
    readOnly: true,
    faultOf: faultFinder('read_context', inputSchemas.readContext),
  },
  {
    name: 'read_full_notes',
    title: 'Read the notes of a subject',
    description:
      'Reads the notes of a subject page by page. Use it when read_context says that they are truncated; go on with ' +
      'next_offset until it is null.',
    inputSchema: inputSchemas.readFullNotes,
    outputSchema: outputSchemas.readFullNotes,
    readOnly: true,
    faultOf: faultFinder('read_full_notes', inputSchemas.readFullNotes),
  },
  {
    name: 'log_operation',
    title: 'Log an operation',
    description:
      'Adds a line to the log of a subject. Use it after you did something that the next session should know.',
    inputSchema: inputSchemas.logOperation,
    outputSchema: outputSchemas.logRecord,
    readOnly: false,
    faultOf: faultFinder('log_operation', inputSchemas.logOperation),
  },
  {
    name: 'log_gap',
    title: 'Log a gap',
    description:
      'Notes something that the words or tools at hand could not do for a subject. Use it when you have to leave a wish ' +
      'unmet or work around it.',
    inputSchema: inputSchemas.logGap,
    outputSchema: outputSchemas.gapRecord,
    readOnly: false,
    faultOf: faultFinder('log_gap', inputSchemas.logGap),
  },
  {
    name: 'propose_taste_update',
    title: 'Propose a taste',
    description:
      'Proposes to add something to the tastes of the owner, which hold for many subjects. It writes nothing: only a ' +
      'person can confirm it. Use it when the person has said how they like things to be.',
    inputSchema: inputSchemas.proposeTasteUpdate,
    outputSchema: outputSchemas.proposal,
    readOnly: false,
    faultOf: faultFinder('propose_taste_update', inputSchemas.proposeTasteUpdate),
  },
  {
    name: 'propose_notes_update',
    title: 'Propose a note',
    description:
      'Proposes to add something to the notes of one subject. It writes nothing: only a person can confirm it. Use it ' +
      'for what later sessions on this subject should remember.',
    inputSchema: inputSchemas.proposeNotesUpdate,
    outputSchema: outputSchemas.proposal,
    readOnly: false,
    faultOf: faultFinder('propose_notes_update', inputSchemas.proposeNotesUpdate),
  },
]

type Input = Readonly<Record<string, unknown>>

/** The operations on subjects, in the order in which they are offered (BEHAVIOURS §4). */
export function subjectOperations(parts: OperationParts): readonly SubjectOperation[] {
  const runs = runsOver(parts)
  return operationFacts.map((facts) => ({ ...facts, run: runs[facts.name] }))
}

function runsOver({
  subjects,
  proposals,
  time,
}: OperationParts): Readonly<Record<SubjectOperationName, SubjectOperation['run']>> {
  const propose = async (draft: ProposalDraft, caller: OperationCaller, tool: SubjectOperationName) =>
    waiting(await proposals.propose(draft, { ...caller, tool }))
  return {
    async read_context(input) {
      const { context, warnings } = await subjects.context(subjectIn(input))
      return { data: { ...context }, warnings }
    },
    async read_full_notes(input) {
      const id = subjectIn(input)
      const page = await subjects.notes(id, {
        ...(typeof input['offset'] === 'number' && { offset: input['offset'] }),
        ...(typeof input['limit'] === 'number' && { limit: input['limit'] }),
      })
      return answered({ image_id: id, ...page })
    },
    async log_operation(input) {
      const { op, details } = input as { readonly op: string; readonly details?: Input }
      const entry = { op, timestamp: time(), ...(details !== undefined && { details }) }
      return answered({ ...(await subjects.logOperation(subjectIn(input), entry)) })
    },
    async log_gap(input, caller) {
      const gap = gapEntry(input, caller, time())
      return answered({ ...(await subjects.logGap(subjectIn(input), gap)) })
    },
    propose_taste_update(input, caller) {
      const { content, category } = input as { readonly content: string; readonly category: TasteCategory }
      return propose({ type: 'taste', name: tasteIn(input), content, category }, caller, 'propose_taste_update')
    },
    propose_notes_update(input, caller) {
      const draft = { type: 'notes', subject: subjectIn(input), content: String(input['content']) } as const
      return propose(draft, caller, 'propose_notes_update')
    },
  }
}

function gapEntry(input: Input, { session }: OperationCaller, timestamp: string): GapEntry {
  const given = [...gapTexts, ...gapLists, 'satisfaction'].filter((key) => input[key] !== undefined)
  return {
    ...(session !== undefined && { session_id: session }),
    ...Object.fromEntries(given.map((key) => [key, input[key]])),
    description: String(input['description']),
    timestamp,
  }
}

function waiting({ id, file, category, diff, digest }: Proposal): OperationAnswer {
  return answered({
    proposal_id: id,
    status: 'waiting for a person',
    file: changedFile(file),
    category: category ?? null,
    diff,
    digest,
    confirm: `foreword subjects confirm ${id}`,
  })
}

function answered(data: Input): OperationAnswer {
  return { data, warnings: [] }
}

/**
 * One operation on subjects. The tools of the gateway and the MCP server offer it with the same name, the same
 * schemas and the same data. None of them confirms a proposal.
 */
export interface SubjectOperation {
  readonly name: SubjectOperationName
  readonly title: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** JSON Schema of the data. */
  readonly outputSchema: Readonly<Record<string, unknown>>
  /** Changes nothing. */
  readonly readOnly: boolean
  /** Describes what is wrong with an input; `undefined` for a valid one. */
  faultOf(input: Readonly<Record<string, unknown>>): string | undefined
  /** `input` has been checked. Rejects with `SubjectError`. */
  run(input: Readonly<Record<string, unknown>>, caller: OperationCaller): Promise<OperationAnswer>
}

/** The caller, as far as it is known. */
type OperationCaller = Omit<ProposalSource, 'tool'>

export interface OperationAnswer {
  /** As BEHAVIOURS §4 has it for `read_context`; JSON. */
  readonly data: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

/** What the operations use. */
export interface OperationParts {
  readonly subjects: Subjects
  readonly proposals: Pick<Proposals, 'propose'>
  /** ISO 8601. */
  readonly time: () => string
}
