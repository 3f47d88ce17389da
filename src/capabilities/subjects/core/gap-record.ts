import type { JsonObject } from './json-lines.ts'
import type { GapRecord } from './subject-context.ts'
import { cappedText, type TextCap, uncapped } from './text-cap.ts'

/**
 * One line of `vocabulary_gaps.jsonl`: every key, and its default where a line has none or one of another kind
 * (BEHAVIOURS §4). A list keeps its texts.
 */
export function gapRecord(line: JsonObject, cap = uncapped): GapRecord {
  const text = (key: keyof GapRecord) => textOf(line[key], '', cap)
  const textOrNull = (key: keyof GapRecord) => textOf(line[key], null, cap)
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
    operations_involved: textsOf(line['operations_involved'], cap),
    vocabulary_used: textsOf(line['vocabulary_used'], cap),
    satisfaction: typeof line['satisfaction'] === 'number' ? line['satisfaction'] : textOrNull('satisfaction'),
    workaround: textOrNull('workaround'),
    notes: text('notes'),
  }
}

function textOf<Default extends string | null>(value: unknown, otherwise: Default, cap: TextCap): string | Default {
  return typeof value === 'string' ? cappedText(value, cap) : otherwise
}

/** A list too long to be shown becomes the beginning of its JSON, as its only entry. */
function textsOf(value: unknown, cap: TextCap): readonly string[] {
  if (!Array.isArray(value)) return []
  const texts = value.filter((each): each is string => typeof each === 'string')
  const json = JSON.stringify(texts)
  return json.length <= cap.chars ? texts : [cappedText(json, cap)]
}
