import { defined } from '../../../platform.ts'
import {
  type Proposal,
  type ProposalDraft,
  type Proposals,
  type ProposalSource,
  type TasteCategory,
  type GapEntry,
  type Subjects,
  defaultTaste,
  tasteCategories,
  isSubjectName,
  nameRule,
} from './subjects.ts'
import { changedFile } from './subject-files.ts'

type Input = Readonly<Record<string, unknown>>

export interface OperationFacts {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Input
  /** JSON Schema of the data. */
  readonly outputSchema: Input
  /** Changes nothing. */
  readonly readOnly: boolean
  /** What is wrong with an input beside what its schema rules, in words; `undefined` where nothing is. */
  faultOf(input: Input): string | undefined
}

/** The gateway and the MCP server offer it with the same name, schemas and data. None of them confirms a proposal. */
export interface SubjectOperation extends OperationFacts {
  /** `input` has been checked. Rejects with `SubjectError`. */
  run(input: Input, caller: OperationCaller): Promise<OperationAnswer>
}

type OperationCaller = Omit<ProposalSource, 'tool'>

export interface OperationAnswer {
  /** As BEHAVIOURS §4 has it for `read_context`; JSON. */
  readonly data: Input
  readonly warnings: readonly string[]
}

export interface OperationParts {
  readonly subjects: Subjects
  readonly proposals: Pick<Proposals, 'propose'>
  /** ISO 8601. */
  readonly time: () => string
}

/** The operations on subjects, in the order in which they are offered (BEHAVIOURS §4). */
export function subjectOperations(parts: OperationParts): readonly SubjectOperation[] {
  return operations.map(({ run, ...facts }) => ({ ...facts, run: (input, caller) => run(parts, input, caller) }))
}

/** The longest addition of a proposal, characters. */
export const longestContent = 20_000

/** JSON Schema 2020-12. */
type Schema = Readonly<Record<string, unknown>>

const string = { type: 'string' }
const stringOrNull = { type: ['string', 'null'] }
const whole = { type: 'integer', minimum: 0 }
const array = { type: 'array' }
const strings = { ...array, items: string }
const anything = { type: 'object', additionalProperties: true }

/** Both are optional, because some models reject a schema that requires one of two. */
const subjectId = {
  image_id: { ...string, description: 'Id of the subject.' },
  subject_id: { ...string, description: 'The same as image_id: a subject may be anything.' },
}

const content = {
  ...string,
  maxLength: longestContent,
  description: 'Markdown that would be added at the end of the file.',
}

const logRecord = outputSchema({ timestamp: string, op: string, details: anything })

const gapRecord = outputSchema({
  timestamp: string,
  image_id: string,
  description: string,
  session_id: stringOrNull,
  snapshot_hash: stringOrNull,
  intent: stringOrNull,
  intent_category: string,
  missing_capability: stringOrNull,
  operations_involved: strings,
  vocabulary_used: strings,
  satisfaction: { type: ['integer', 'null'] },
  workaround: stringOrNull,
  notes: string,
})

const proposed = outputSchema({
  proposal_id: string,
  status: string,
  file: { ...string, description: 'The file that would change, such as subjects/ID/notes.md.' },
  category: { ...stringOrNull, description: 'Of a taste; null of notes.' },
  diff: { ...string, description: 'Unified diff of what would change.' },
  digest: { ...string, description: 'SHA-256 that a decision is bound to.' },
  confirm: { ...string, description: 'The command by which a person confirms it.' },
})

/** `hint` explains why a decision was not made. Some clients show their model nothing but the data. */
const proposal = {
  ...proposed,
  properties: {
    ...(proposed['properties'] as Schema),
    hint: { ...string, description: 'Why it was not decided in this program, and where it can be.' },
  },
}

/** What the operations answer. */
export const outputSchemas = {
  readContext: outputSchema({
    tastes: outputSchema({
      default: string,
      genres: { type: 'object', additionalProperties: string },
      conflicts: { ...array, items: outputSchema({ point: string, files: { ...strings, minItems: 2 } }) },
    }),
    brief: outputSchema({ raw: string, intent: string, tastes: strings }),
    notes: outputSchema({ summary: string, truncated: { type: 'boolean' } }),
    recent_log: { ...array, items: logRecord, maxItems: 10 },
    recent_gaps: { ...array, items: gapRecord, maxItems: 10 },
  }),
  readFullNotes: outputSchema({
    image_id: string,
    text: string,
    offset: whole,
    lines: whole,
    total: whole,
    next_offset: { type: ['integer', 'null'], description: 'Where to go on; null at the end.' },
  }),
  logRecord,
  gapRecord,
  proposal,
}

function inputSchema<Properties extends Schema>(properties: Properties, ...required: readonly string[]) {
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
}

function outputSchema(properties: Schema): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

interface Operation extends OperationFacts {
  run(parts: OperationParts, input: Input, caller: OperationCaller): Promise<OperationAnswer>
}

const operations: readonly Operation[] = [
  {
    name: 'read_context',
    title: 'Read the context of a subject',
    description:
      'Reads what is known of a subject in one call: the tastes of its owner, its brief, its notes, and what was done last. ' +
      'Use it before you begin to work on a subject. Where a line stands in several tastes (conflicts), ask the person.',
    inputSchema: inputSchema(subjectId),
    outputSchema: outputSchemas.readContext,
    readOnly: true,
    faultOf: subjectFault,
    async run({ subjects }, input) {
      const { context, warnings } = await subjects.context(subjectIn(input))
      return { data: { ...context }, warnings }
    },
  },
  {
    name: 'read_full_notes',
    title: 'Read the notes of a subject',
    description:
      'Reads the notes of a subject page by page. Use it when read_context says that they are truncated; go on with ' +
      'next_offset until it is null.',
    inputSchema: inputSchema({
      ...subjectId,
      offset: { ...whole, description: 'Lines to leave out at the beginning; 0 unless given.' },
      limit: { type: 'integer', minimum: 1, description: 'The most lines; 200 unless given.' },
    }),
    outputSchema: outputSchemas.readFullNotes,
    readOnly: true,
    faultOf: subjectFault,
    async run({ subjects }, input) {
      const id = subjectIn(input)
      const { offset, limit } = input as { readonly offset?: number; readonly limit?: number }
      return answered({ image_id: id, ...(await subjects.notes(id, defined({ offset, limit }))) })
    },
  },
  {
    name: 'log_operation',
    title: 'Log an operation',
    description:
      'Adds a line to the log of a subject. Use it after you did something that the next session should know.',
    inputSchema: inputSchema(
      {
        ...subjectId,
        op: { ...string, description: 'What was done, as a short name.' },
        details: { ...anything, description: 'Anything else that is worth keeping, such as values used.' },
      },
      'op',
    ),
    outputSchema: outputSchemas.logRecord,
    readOnly: false,
    faultOf: subjectFault,
    async run({ subjects, time }, input) {
      const { op, details } = input as { readonly op: string; readonly details?: Input }
      const entry = { op, timestamp: time(), ...defined({ details }) }
      return answered({ ...(await subjects.logOperation(subjectIn(input), entry)) })
    },
  },
  {
    name: 'log_gap',
    title: 'Log a gap',
    description:
      'Notes something that the words or tools at hand could not do for a subject. Use it when you have to leave a wish ' +
      'unmet or work around it.',
    inputSchema: inputSchema(
      {
        ...subjectId,
        description: { ...string, description: 'What could not be said or done.' },
        session_id: { ...string, description: 'The session at hand unless given.' },
        snapshot_hash: { ...string, description: 'Which state of the work it is about.' },
        intent: { ...string, description: 'What was wanted, in the words of the person.' },
        intent_category: { ...string, description: 'Kind of intent; uncategorized unless given.' },
        missing_capability: { ...string, description: 'What would have been needed.' },
        operations_involved: { ...strings, description: 'Operations that were tried.' },
        vocabulary_used: { ...strings, description: 'Words or presets that were used instead.' },
        satisfaction: {
          type: 'integer',
          minimum: -1,
          maximum: 1,
          description: 'How well it went in the end: -1, 0 or 1.',
        },
        workaround: { ...string, description: 'What was done instead.' },
        notes: string,
      },
      'description',
    ),
    outputSchema: outputSchemas.gapRecord,
    readOnly: false,
    faultOf: subjectFault,
    async run({ subjects, time }, input, { session }) {
      const { image_id: _, subject_id: __, ...given } = input
      const gap = { ...(session !== undefined && { session_id: session }), ...given, timestamp: time() } as GapEntry
      return answered({ ...(await subjects.logGap(subjectIn(input), gap)) })
    },
  },
  {
    name: 'propose_taste_update',
    title: 'Propose a taste',
    description:
      'Proposes to add something to the tastes of the owner, which hold for many subjects. It writes nothing: only a ' +
      'person can confirm it. Use it when the person has said how they like things to be.',
    inputSchema: inputSchema(
      {
        content,
        category: { ...string, enum: tasteCategories, description: 'What the taste is about.' },
        file: {
          ...string,
          description: 'Name of the taste, such as underwater or underwater.md; _default unless given.',
        },
      },
      'content',
      'category',
    ),
    outputSchema: outputSchemas.proposal,
    readOnly: false,
    faultOf: tasteFault,
    run(parts, input, caller) {
      const { content: text, category } = input as { readonly content: string; readonly category: TasteCategory }
      const draft = { type: 'taste', name: tasteIn(input), content: text, category } as const
      return propose(parts, draft, { ...caller, tool: 'propose_taste_update' })
    },
  },
  {
    name: 'propose_notes_update',
    title: 'Propose a note',
    description:
      'Proposes to add something to the notes of one subject. It writes nothing: only a person can confirm it. Use it ' +
      'for what later sessions on this subject should remember.',
    inputSchema: inputSchema({ ...subjectId, content }, 'content'),
    outputSchema: outputSchemas.proposal,
    readOnly: false,
    faultOf: subjectFault,
    run(parts, input, caller) {
      const draft = { type: 'notes', subject: subjectIn(input), content: String(input['content']) } as const
      return propose(parts, draft, { ...caller, tool: 'propose_notes_update' })
    },
  },
]

export const operationFacts: readonly OperationFacts[] = operations

/** The subject that an input names, by either parameter. */
function subjectIn(input: Input): string {
  return String(input['image_id'] ?? input['subject_id'])
}

function tasteIn({ file = defaultTaste }: Input): string {
  return String(file).replace(/\.md$/, '')
}

function subjectFault({ image_id: image, subject_id: subject }: Input): string | undefined {
  const id = image === undefined ? subject : image
  if (id === undefined) return 'missing image_id: give the id of a subject (subject_id means the same)'
  if (image !== undefined && subject !== undefined && image !== subject) {
    return 'image_id and subject_id name different subjects: give one of them'
  }
  if (typeof id !== 'string' || isSubjectName(id)) return undefined
  return `${image === undefined ? 'subject_id' : 'image_id'} is no id of a subject: it has ${nameRule}`
}

function tasteFault(input: Input): string | undefined {
  return isSubjectName(tasteIn(input)) ? undefined : `file is no name of a taste: it has ${nameRule}`
}

async function propose(
  { proposals }: OperationParts,
  draft: ProposalDraft,
  by: ProposalSource,
): Promise<OperationAnswer> {
  const { id, file, category, diff, digest }: Proposal = await proposals.propose(draft, by)
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
