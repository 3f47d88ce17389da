import {
  type OperationFacts,
  operationFacts,
  gapLists,
  gapTexts,
  subjectIn,
  type SubjectOperationName,
  tasteIn,
} from './operation-schemas.ts'
import type {
  Proposal,
  ProposalDraft,
  Proposals,
  ProposalSource,
  TasteCategory,
  GapEntry,
  Subjects,
} from './subjects.ts'
import { changedFile } from './subject-folders.ts'

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

/** The gateway and the MCP server offer it with the same name, schemas and data. None of them confirms a proposal. */
export interface SubjectOperation extends OperationFacts {
  /** `input` has been checked. Rejects with `SubjectError`. */
  run(input: Readonly<Record<string, unknown>>, caller: OperationCaller): Promise<OperationAnswer>
}

type OperationCaller = Omit<ProposalSource, 'tool'>

export interface OperationAnswer {
  /** As BEHAVIOURS §4 has it for `read_context`; JSON. */
  readonly data: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

export interface OperationParts {
  readonly subjects: Subjects
  readonly proposals: Pick<Proposals, 'propose'>
  /** ISO 8601. */
  readonly time: () => string
}
