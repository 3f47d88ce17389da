import type { JsonObject } from './json-lines.ts'
import type { LogRecord } from './subject-context.ts'
import { cappedText, moreBySetting } from './text-cap.ts'

/** One line of `log.jsonl`: all keys but `timestamp` and `op` are details (BEHAVIOURS §4). */
export function logRecord({ timestamp, op, ...details }: JsonObject, maxChars = Number.POSITIVE_INFINITY): LogRecord {
  return {
    timestamp: typeof timestamp === 'string' ? cappedText(timestamp, maxChars, moreBySetting) : null,
    op: typeof op === 'string' ? cappedText(op, maxChars, moreBySetting) : null,
    details: cappedDetails(details, maxChars),
  }
}

/** Details too long to be shown become the beginning of their JSON, as a text. */
function cappedDetails(details: JsonObject, maxChars: number): JsonObject {
  const json = JSON.stringify(details)
  return json.length <= maxChars ? details : { shortened: cappedText(json, maxChars, moreBySetting) }
}
