import { RuntimeError } from '../../capability.ts'

/**
 * When a token expires, ISO 8601: after a span from `now` (ms) such as `12h`, `30d` or `8w`, at a time, or at the end of a date, local.
 * Throws RuntimeError `invalid-input` for anything else, and for what is over already.
 */
export function tokenExpiry(text: string, now: number): string {
  const time = expiryTime(text.trim(), now)
  if (Number.isNaN(time) || time > LATEST) {
    throw new RuntimeError(
      'invalid-input',
      `${JSON.stringify(text.slice(0, 100))} is not a time at which a token can expire.`,
      {},
      { hint },
    )
  }
  if (time <= now) throw new RuntimeError('invalid-input', `${text} is over already.`, {}, { hint })
  return new Date(time).toISOString()
}

const hint = 'Write a span such as 12h, 30d or 8w, or a date such as 2030-01-31.'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const spans: Readonly<Record<string, number>> = { h: HOUR, d: DAY, w: 7 * DAY }

/** The end of the year 9999: later years have another form. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Stricter than `Date`, which accepts much that is no time. */
function expiryTime(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([hdw])$/.exec(text) ?? []
  if (unit !== undefined) return now + Number(count) * spans[unit]!
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year !== undefined) return endOfDay(Number(year), Number(month), Number(day))
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(text)
    ? Date.parse(text)
    : Number.NaN
}

/** `NaN` for a day that no month has. */
function endOfDay(year: number, month: number, day: number): number {
  const begin = new Date(year, month - 1, day)
  if (begin.getMonth() !== month - 1 || begin.getDate() !== day) return Number.NaN
  return new Date(year, month - 1, day + 1).getTime() - 1_000
}
