import { gapLists, gapTexts, longestContent, tasteCategories } from './operation-input.ts'

/** JSON Schema 2020-12. */
type Schema = Readonly<Record<string, unknown>>

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }
const whole = { type: 'integer', minimum: 0 }
const list = { type: 'array' }
const texts = { ...list, items: text }
const anything = { type: 'object', additionalProperties: true }

/** Both are optional here, as some models refuse a schema that asks for one of the two. */
const subject = {
  image_id: { ...text, description: 'Id of the subject.' },
  subject_id: { ...text, description: 'The same as image_id: a subject may be anything.' },
}

const content = {
  ...text,
  maxLength: longestContent,
  description: 'Markdown that would be added at the end of the file.',
}

/** What the operations take. */
export const inputSchemas = {
  readContext: input(subject),
  readFullNotes: input({
    ...subject,
    offset: { ...whole, description: 'Lines to leave out at the beginning; 0 unless given.' },
    limit: { type: 'integer', minimum: 1, description: 'The most lines; 200 unless given.' },
  }),
  logOperation: input(
    {
      ...subject,
      op: { ...text, description: 'What was done, as a short name.' },
      details: { ...anything, description: 'Anything else that is worth keeping, such as values used.' },
    },
    'op',
  ),
  logGap: input(
    {
      ...subject,
      description: { ...text, description: 'What could not be said or done.' },
      session_id: { ...text, description: 'The session at hand unless given.' },
      snapshot_hash: { ...text, description: 'Which state of the work it is about.' },
      intent: { ...text, description: 'What was wanted, in the words of the person.' },
      intent_category: { ...text, description: 'Kind of intent; uncategorized unless given.' },
      missing_capability: { ...text, description: 'What would have been needed.' },
      operations_involved: { ...texts, description: 'Operations that were tried.' },
      vocabulary_used: { ...texts, description: 'Words or presets that were used instead.' },
      satisfaction: { type: ['string', 'number'], description: 'How well it went in the end.' },
      workaround: { ...text, description: 'What was done instead.' },
      notes: text,
    },
    'description',
  ),
  proposeTasteUpdate: input(
    {
      content,
      category: { ...text, enum: tasteCategories, description: 'What the taste is about.' },
      file: { ...text, description: 'Name of the taste, such as underwater or underwater.md; _default unless given.' },
    },
    'content',
    'category',
  ),
  proposeNotesUpdate: input({ ...subject, content }, 'content'),
}

const logRecord = output({ timestamp: text, op: text, details: anything })

const gapRecord = output({
  timestamp: text,
  image_id: text,
  description: text,
  ...Object.fromEntries(gapTexts.map((key) => [key, textOrNull])),
  ...Object.fromEntries(gapLists.map((key) => [key, texts])),
  intent_category: text,
  satisfaction: { type: ['string', 'number', 'null'] },
  notes: text,
})

const proposed = output({
  proposal_id: text,
  status: text,
  file: { ...text, description: 'The file that would change, such as subjects/ID/notes.md.' },
  category: { ...textOrNull, description: 'Of a taste; null of notes.' },
  diff: { ...text, description: 'Unified diff of what would change.' },
  digest: { ...text, description: 'SHA-256 that a decision is bound to.' },
  confirm: { ...text, description: 'The command by which a person confirms it.' },
})

/** `hint` is there where something stood in the way of a decision. Some clients show their model nothing but the data. */
const proposal = {
  ...proposed,
  properties: {
    ...(proposed['properties'] as Schema),
    hint: { ...text, description: 'Why it was not decided in this program, and where it can be.' },
  },
}

/** What they answer with. */
export const outputSchemas = {
  readContext: output({
    tastes: output({
      default: text,
      genres: { type: 'object', additionalProperties: text },
      conflicts: { ...list, items: output({ point: text, files: { ...texts, minItems: 2 } }) },
    }),
    brief: output({ raw: text, intent: text, tastes: texts }),
    notes: output({ summary: text, truncated: { type: 'boolean' } }),
    recent_log: { ...list, items: logRecord, maxItems: 10 },
    recent_gaps: { ...list, items: gapRecord, maxItems: 10 },
  }),
  readFullNotes: output({
    image_id: text,
    text,
    offset: whole,
    lines: whole,
    total: whole,
    next_offset: { type: ['integer', 'null'], description: 'Where to go on; null at the end.' },
  }),
  logRecord,
  gapRecord,
  proposal,
}

function input<Properties extends Schema>(properties: Properties, ...required: readonly string[]) {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function output(properties: Schema): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}
