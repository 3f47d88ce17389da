import { cappedText, moreBySetting } from './text-cap.ts'

/** A text of a record. A number, such as the seconds of a time, is one too; any other kind of value is `otherwise`. */
export function recordText<Default extends string | null>(
  value: unknown,
  otherwise: Default,
  maxChars: number,
): string | Default {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? cappedText(value, maxChars, moreBySetting) : otherwise
}
