import { usageFailure } from './failure.ts'

/** A time, or a span back from `now` (ms), as ISO 8601 in UTC. */
export function parseSince(text: string, now: number): string {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text) ?? []
  const time = count === undefined ? isoTime(text) : now - Number(count) * spans[unit!]!
  const date = new Date(time)
  if (!Number.isNaN(date.getTime()) && date.getUTCFullYear() >= 0) return date.toISOString()
  throw usageFailure(
    '--since must be a time or a span.',
    'Write a time such as 2026-01-31 or 2026-01-31T12:00Z, or a span such as 30m, 2h, 3d, 1w.',
  )
}

const SECOND = 1_000

const spans: Readonly<Record<string, number>> = {
  s: SECOND,
  m: 60 * SECOND,
  h: 3_600 * SECOND,
  d: 86_400 * SECOND,
  w: 7 * 86_400 * SECOND,
}

/** Stricter than `Date`, which accepts much that is no time. A date means the beginning of the local day, as lists show times. */
function isoTime(text: string): number {
  const shape = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/
  if (!shape.test(text)) return Number.NaN
  return Date.parse(text.includes('T') ? text : `${text}T00:00`)
}
