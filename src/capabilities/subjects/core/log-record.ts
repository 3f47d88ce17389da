import type { JsonObject } from './json-lines.ts'
import type { LogRecord } from './subject-context.ts'
import { cappedText, type TextCap, uncapped } from './text-cap.ts'

/**
 * One line of `log.jsonl`: all keys but `timestamp` and `op` are details (BEHAVIOURS §4). Those two are texts, empty where
 * they are missing or null; a value of another kind is shown as its JSON.
 */
export function logRecord({ timestamp, op, ...details }: JsonObject, cap = uncapped): LogRecord {
  return { timestamp: asText(timestamp, cap), op: asText(op, cap), details: cappedDetails(details, cap) }
}

function asText(value: unknown, cap: TextCap): string {
  if (value === undefined || value === null) return ''
  return cappedText(typeof value === 'string' ? value : JSON.stringify(value), cap)
}

/** Details too long to be shown become the beginning of their JSON, as a text. */
function cappedDetails(details: JsonObject, cap: TextCap): JsonObject {
  const json = JSON.stringify(details)
  return json.length <= cap.chars ? details : { shortened: cappedText(json, cap) }
}
