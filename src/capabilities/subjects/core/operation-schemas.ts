import { satisfactions } from './subject-context.ts'
import { type TasteCategory, defaultTaste, isSubjectId, isTasteName, nameRule } from './subjects.ts'

const tasteCategories: readonly TasteCategory[] = ['appearance', 'process', 'value']

/** The longest addition of a proposal, characters. */
export const longestContent = 20_000

export const gapTexts = [
  'session_id',
  'snapshot_hash',
  'intent',
  'intent_category',
  'missing_capability',
  'workaround',
  'notes',
] as const
export const gapLists = ['operations_involved', 'vocabulary_used'] as const

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

const inputSchemas = {
  readContext: inputSchema(subjectId),
  readFullNotes: inputSchema({
    ...subjectId,
    offset: { ...whole, description: 'Lines to leave out at the beginning; 0 unless given.' },
    limit: { type: 'integer', minimum: 1, description: 'The most lines; 200 unless given.' },
  }),
  logOperation: inputSchema(
    {
      ...subjectId,
      op: { ...string, description: 'What was done, as a short name.' },
      details: { ...anything, description: 'Anything else that is worth keeping, such as values used.' },
    },
    'op',
  ),
  logGap: inputSchema(
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
  proposeTasteUpdate: inputSchema(
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
  proposeNotesUpdate: inputSchema({ ...subjectId, content }, 'content'),
}

const logRecord = outputSchema({ timestamp: string, op: string, details: anything })

const gapRecord = outputSchema({
  timestamp: string,
  image_id: string,
  description: string,
  ...Object.fromEntries(gapTexts.map((key) => [key, stringOrNull])),
  ...Object.fromEntries(gapLists.map((key) => [key, strings])),
  intent_category: string,
  satisfaction: { type: ['integer', 'null'] },
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

type Input = Readonly<Record<string, unknown>>
type Fault = string | undefined

/** `undefined` for a valid input. */
function faultFinder(name: SubjectOperationName, { properties }: ObjectSchema): (input: Input) => Fault {
  const fields = Object.keys(properties)
  return (input) => {
    const unknown = Object.keys(input).find((field) => !fields.includes(field))
    if (unknown !== undefined) return `there is no field ${unknown} (it has ${fields.join(', ')})`
    return inputFaults[name](input)
  }
}

interface ObjectSchema {
  readonly properties: Input
}

const inputFaults = {
  read_context: (input) => subjectFault(input),
  read_full_notes: (input) => subjectFault(input) ?? wholeFault(input, 'offset', 0) ?? wholeFault(input, 'limit', 1),
  log_operation: (input) => subjectFault(input) ?? requiredTextFault(input, 'op') ?? detailsFault(input),
  log_gap: (input) => subjectFault(input) ?? requiredTextFault(input, 'description') ?? gapFault(input),
  propose_taste_update: (input) => contentFault(input) ?? categoryFault(input) ?? tasteFault(input),
  propose_notes_update: (input) => subjectFault(input) ?? contentFault(input),
} satisfies Readonly<Record<string, (input: Input) => Fault>>

/** The operations in the order in which they are offered. */
export type SubjectOperationName = keyof typeof inputFaults

/** The subject that an input names, by either parameter. */
export function subjectIn(input: Input): string {
  return String(input['image_id'] ?? input['subject_id'])
}

export function tasteIn({ file = defaultTaste }: Input): string {
  return String(file).replace(/\.md$/, '')
}

function subjectFault({ image_id: image, subject_id: subject }: Input): Fault {
  const id = image === undefined ? subject : image
  if (id === undefined) return 'missing image_id: give the id of a subject (subject_id means the same)'
  if (image !== undefined && subject !== undefined && image !== subject) {
    return 'image_id and subject_id name different subjects: give one of them'
  }
  const name = image === undefined ? 'subject_id' : 'image_id'
  if (typeof id !== 'string') return `${name} must be a string`
  return isSubjectId(id) ? undefined : `${name} is no id of a subject: it has ${nameRule}`
}

function wholeFault(input: Input, field: string, least: number): Fault {
  const value = input[field]
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= least)) return undefined
  return `${field} must be a whole number from ${least} on`
}

function requiredTextFault(input: Input, field: string): Fault {
  const value = input[field]
  if (value === undefined) return `missing ${field}`
  if (typeof value !== 'string') return `${field} must be a string`
  return value.trim() === '' ? `${field} is blank` : undefined
}

function detailsFault({ details }: Input): Fault {
  if (details === undefined) return undefined
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return 'details must be an object'
  const taken = ['timestamp', 'op'].find((key) => Object.hasOwn(details, key))
  return taken === undefined ? undefined : `details cannot have a key ${taken}: the record has one already`
}

function gapFault(input: Input): Fault {
  const text = gapTexts.find((field) => input[field] !== undefined && typeof input[field] !== 'string')
  if (text !== undefined) return `${text} must be a string`
  const list = gapLists.find((field) => input[field] !== undefined && !isListOfTexts(input[field]))
  if (list !== undefined) return `${list} must be an array of strings`
  const { satisfaction = null } = input
  const isFitting = satisfaction === null || satisfactions.some((known) => known === satisfaction)
  return isFitting ? undefined : 'satisfaction must be -1, 0, 1 or null'
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function contentFault(input: Input): Fault {
  const fault = requiredTextFault(input, 'content')
  if (fault !== undefined) return fault
  const { length } = String(input['content'])
  if (length <= longestContent) return undefined
  return `content has ${length} characters, and at most ${longestContent} can be proposed at once: propose less`
}

function categoryFault({ category }: Input): Fault {
  if (category === undefined) return `missing category: one of ${tasteCategories.join(', ')}`
  return tasteCategories.some((one) => one === category)
    ? undefined
    : `category must be one of ${tasteCategories.join(', ')}`
}

function tasteFault(input: Input): Fault {
  const { file } = input
  if (file === undefined) return undefined
  if (typeof file !== 'string') return 'file must be a string'
  return isTasteName(tasteIn(input)) ? undefined : `file is no name of a taste: it has ${nameRule}`
}

export interface OperationFacts {
  readonly name: SubjectOperationName
  readonly title: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** JSON Schema of the data. */
  readonly outputSchema: Readonly<Record<string, unknown>>
  /** Changes nothing. */
  readonly readOnly: boolean
  /** What is wrong with an input, in words; `undefined` where nothing is. */
  faultOf(input: Readonly<Record<string, unknown>>): string | undefined
}

export const operationFacts: readonly OperationFacts[] = [
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
