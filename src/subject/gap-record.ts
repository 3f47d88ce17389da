import type { JsonObject } from './json-lines.ts'
import { recordText } from './record-text.ts'
import type { GapRecord } from './subject-context.ts'
import { cappedText, moreBySetting } from './text-cap.ts'

/** One line of `vocabulary_gaps.jsonl`: every key, and its default where a line has none or one of another kind. */
export function gapRecord(line: JsonObject, maxChars = Number.POSITIVE_INFINITY): GapRecord {
  const text = (key: keyof GapRecord) => recordText(line[key], null, maxChars)
  return {
    timestamp: text('timestamp'),
    image_id: text('image_id'),
    description: recordText(line['description'], '', maxChars),
    session_id: text('session_id'),
    snapshot_hash: text('snapshot_hash'),
    intent: text('intent'),
    intent_category: recordText(line['intent_category'], 'uncategorized', maxChars),
    missing_capability: text('missing_capability'),
    operations_involved: listOf(line['operations_involved'], maxChars),
    vocabulary_used: listOf(line['vocabulary_used'], maxChars),
    satisfaction: typeof line['satisfaction'] === 'number' ? line['satisfaction'] : text('satisfaction'),
    workaround: text('workaround'),
    notes: recordText(line['notes'], '', maxChars),
  }
}

/** A list too long to be shown becomes the beginning of its JSON, as its only entry. */
function listOf(value: unknown, maxChars: number): readonly unknown[] {
  if (!Array.isArray(value)) return []
  const json = JSON.stringify(value)
  return json.length <= maxChars ? value : [cappedText(json, maxChars, moreBySetting)]
}
