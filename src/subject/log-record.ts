import type { JsonObject } from './json-lines.ts'
import { recordText } from './record-text.ts'
import type { LogRecord } from './subject-context.ts'
import { cappedText, moreBySetting } from './text-cap.ts'

/** One line of `log.jsonl`: all keys but `timestamp` and `op` are details (BEHAVIOURS §4). */
export function logRecord({ timestamp, op, ...details }: JsonObject, maxChars = Number.POSITIVE_INFINITY): LogRecord {
  return {
    timestamp: recordText(timestamp, null, maxChars),
    op: recordText(op, null, maxChars),
    details: cappedDetails(details, maxChars),
  }
}

/** Details too long to be shown become the beginning of their JSON, as a text. */
function cappedDetails(details: JsonObject, maxChars: number): JsonObject {
  const json = JSON.stringify(details)
  return json.length <= maxChars ? details : { shortened: cappedText(json, maxChars, moreBySetting) }
}
