import type { JsonObject } from './lines.ts'
import { type GapEntry, type GapRecord, type LogRecord, type OperationEntry, SubjectError } from './subjects.ts'
import { capText, type TextCap, uncapped } from './text-cap.ts'

/**
 * All keys but `timestamp` and `op` are details (BEHAVIOURS §4). Those two are texts, empty where they are missing or
 * null; a value of another kind is shown as its JSON.
 */
export function logRecord({ timestamp, op, ...details }: JsonObject, cap = uncapped): LogRecord {
  return { timestamp: asText(timestamp, cap), op: asText(op, cap), details: cappedDetails(details, cap) }
}

function asText(value: unknown, cap: TextCap): string {
  if (value === undefined || value === null) return ''
  return capText(typeof value === 'string' ? value : JSON.stringify(value), cap)
}

/** Details too long to be shown become the beginning of their JSON, as a text. */
function cappedDetails(details: JsonObject, cap: TextCap): JsonObject {
  const json = JSON.stringify(details)
  return json.length <= cap.chars ? details : { shortened: capText(json, cap) }
}

/** Every key, and its default where a line has none or one of another kind (BEHAVIOURS §4). A list keeps its texts. */
export function gapRecord(line: JsonObject, cap = uncapped): GapRecord {
  const text = (key: keyof GapRecord) => readText(line[key], '', cap)
  const textOrNull = (key: keyof GapRecord) => readText(line[key], null, cap)
  const category = text('intent_category')
  return {
    timestamp: text('timestamp'),
    image_id: text('image_id'),
    description: text('description'),
    session_id: textOrNull('session_id'),
    snapshot_hash: textOrNull('snapshot_hash'),
    intent: textOrNull('intent'),
    intent_category: category.trim() === '' ? 'uncategorized' : category,
    missing_capability: textOrNull('missing_capability'),
    operations_involved: readTexts(line['operations_involved'], cap),
    vocabulary_used: readTexts(line['vocabulary_used'], cap),
    satisfaction: typeof line['satisfaction'] === 'number' ? line['satisfaction'] : textOrNull('satisfaction'),
    workaround: textOrNull('workaround'),
    notes: text('notes'),
  }
}

function readText<Default extends string | null>(value: unknown, otherwise: Default, cap: TextCap): string | Default {
  return typeof value === 'string' ? capText(value, cap) : otherwise
}

/** A list too long to be shown becomes the beginning of its JSON, as its only entry. */
function readTexts(value: unknown, cap: TextCap): readonly string[] {
  if (!Array.isArray(value)) return []
  const texts = value.filter((each): each is string => typeof each === 'string')
  const json = JSON.stringify(texts)
  return json.length <= cap.chars ? texts : [capText(json, cap)]
}

/** Details are keys beside `timestamp` and `op`, as they are read (BEHAVIOURS §4). */
export function operationLine({ op, details = {}, timestamp }: OperationEntry): JsonObject {
  if (op.trim() === '') throw fault('op says nothing. Name what was done, such as crop.')
  const taken = ['timestamp', 'op'].find((key) => Object.hasOwn(details, key))
  if (taken !== undefined) throw fault(`details cannot have a key ${taken}. The record has one already.`)
  return { timestamp, op, ...details }
}

export function gapLine(id: string, gap: GapEntry): JsonObject {
  if (gap.description.trim() === '') throw fault('description says nothing. Say what could not be done.')
  const known = OPTIONAL.filter((key) => gap[key] !== undefined).map((key) => [key, gap[key]])
  return { timestamp: gap.timestamp, image_id: id, description: gap.description, ...Object.fromEntries(known) }
}

const OPTIONAL = [
  'session_id',
  'snapshot_hash',
  'intent',
  'intent_category',
  'missing_capability',
  'operations_involved',
  'vocabulary_used',
  'satisfaction',
  'workaround',
  'notes',
] as const

function fault(message: string): SubjectError {
  return new SubjectError('invalid-input', message)
}
