import type { JsonObject } from './json-lines.ts'
import { SubjectError } from './subject-error.ts'
import type { GapEntry, OperationEntry } from './subjects.ts'

/** A line of `log.jsonl`. Details stand beside `timestamp` and `op`, as they are read (BEHAVIOURS §4). */
export function operationLine({ op, details = {}, timestamp }: OperationEntry): JsonObject {
  if (op.trim() === '') throw fault('op says nothing. Name what was done, such as crop.')
  const taken = ['timestamp', 'op'].find((key) => Object.hasOwn(details, key))
  if (taken !== undefined) throw fault(`details cannot have a key ${taken}. The record has one already.`)
  return { timestamp, op, ...details }
}

/** A line of `vocabulary_gaps.jsonl`: what is known, under the names of the record. */
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
