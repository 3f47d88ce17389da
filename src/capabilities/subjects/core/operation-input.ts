import type { SubjectOperationName } from './operation.ts'
import type { TasteCategory } from './proposal.ts'
import { defaultTaste, isSubjectId, isTasteName, nameRule } from './subject-name.ts'

type Input = Readonly<Record<string, unknown>>
type Fault = string | undefined

/** What a taste is about. */
export const tasteCategories: readonly TasteCategory[] = ['appearance', 'process', 'value']

/** The most that a proposal may add, characters. */
export const longestContent = 20_000

/** What is wrong with the input of an operation, in words; `undefined` where nothing is. */
export function faultIn(name: SubjectOperationName, { properties }: ObjectSchema): (input: Input) => Fault {
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

const inputFaults: Readonly<Record<SubjectOperationName, (input: Input) => Fault>> = {
  read_context: (input) => subjectFault(input),
  read_full_notes: (input) => subjectFault(input) ?? wholeFault(input, 'offset', 0) ?? wholeFault(input, 'limit', 1),
  log_operation: (input) => subjectFault(input) ?? saidFault(input, 'op') ?? detailsFault(input),
  log_gap: (input) => subjectFault(input) ?? saidFault(input, 'description') ?? gapFault(input),
  propose_taste_update: (input) => contentFault(input) ?? categoryFault(input) ?? tasteFault(input),
  propose_notes_update: (input) => subjectFault(input) ?? contentFault(input),
}

/** The subject that an input names, by either parameter. */
export function subjectIn(input: Input): string {
  return String(input['image_id'] ?? input['subject_id'])
}

/** The taste that an input names, without `.md`. */
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

/** A text that has to be there and to say something. */
function saidFault(input: Input, field: string): Fault {
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

/** Everything about a gap that may be left out. */
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

function gapFault(input: Input): Fault {
  const text = gapTexts.find((field) => input[field] !== undefined && typeof input[field] !== 'string')
  if (text !== undefined) return `${text} must be a string`
  const list = gapLists.find((field) => input[field] !== undefined && !isListOfTexts(input[field]))
  if (list !== undefined) return `${list} must be an array of strings`
  const { satisfaction } = input
  const isFitting = satisfaction === undefined || typeof satisfaction === 'string' || Number.isFinite(satisfaction)
  return isFitting ? undefined : 'satisfaction must be a string or a number'
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function contentFault(input: Input): Fault {
  const fault = saidFault(input, 'content')
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
