import { type MonthName, monthNames } from './month-names.ts'

/** A day or a month that a question names. */
export interface QuestionDate {
  /** As it stands in the question. */
  readonly written: string
  /** Of every year where absent. */
  readonly year?: number
  /** From 1. */
  readonly month: number
  /** The whole month where absent. */
  readonly day?: number
}

/** A stretch of time: ISO 8601, UTC, from the one up to and without the other. */
export interface Period {
  readonly from: string
  readonly to: string
}

const DAY = /^(?:0?[1-9]|[12]\d|3[01])$/
const YEAR = /^(?:19|20)\d\d$/
const yearFirst = /(?<![\d-])((?:19|20)\d\d)(?:-(\d\d)(?:-(\d\d))?|\/(\d\d?)\/(\d\d?))(?![\d-])/g
const dayFirst = /(?<![\d.])(\d\d?)\.\s?(\d\d?)\.\s?((?:19|20)\d\d)(?!\d)/g
const eastAsian = /(?:((?:19|20)\d\d)\s*[年년]\s*)?(?<!\d)(\d\d?)\s*[月월](?:\s*(\d\d?)\s*[日号號일])?/g
const wordOrNumber = /[\p{L}\p{M}]+|\d+/gu
/** What may stand between the day, the month and the year: "7th of May", "7 de mayo de 2023". */
const between = new Set(['st', 'nd', 'rd', 'th', 'of', 'er', 'de', 'del', 'den', 'di', 'd'])

/**
 * The dates that a question names: `2023-05-07`, `2023-05`, `7.5.2023`, `2023年5月7日`, or with the name of the month in one
 * of these languages. A year alone is a number like others.
 */
export function datesIn(text: string, languages: readonly string[]): readonly QuestionDate[] {
  const found = [
    ...[...text.matchAll(yearFirst)].map(([all, year, month, day, m, d]) => dateOf(all, year, month ?? m, day ?? d)),
    ...[...text.matchAll(dayFirst)].map(([all, day, month, year]) => dateOf(all, year, month, day)),
    ...[...text.matchAll(eastAsian)].map(([all, year, month, day]) => dateOf(all, year, month, day)),
    ...namedDates(text, monthNames(languages)),
  ]
  return found.filter((date) => date !== undefined)
}

/**
 * When a date was in a time zone (`Europe/Berlin`; this machine's where absent), once for each year of `years` where it
 * names none.
 */
export function periodsOf(
  { year, month, day }: QuestionDate,
  years: readonly number[],
  timeZone: string | undefined,
): readonly Period[] {
  return (year === undefined ? years : [year])
    .filter((each) => day === undefined || new Date(Date.UTC(each, month - 1, day)).getUTCMonth() === month - 1)
    .map((each) => ({
      from: midnight(Date.UTC(each, month - 1, day ?? 1), timeZone),
      to: midnight(day === undefined ? Date.UTC(each, month, 1) : Date.UTC(each, month - 1, day + 1), timeZone),
    }))
}

/** The beginning of a day in a time zone; the day is the one that `utc` begins in UTC, ms. */
function midnight(utc: number, timeZone: string | undefined): string {
  const format = new Intl.DateTimeFormat('en', { ...WALL_CLOCK, ...(timeZone !== undefined && { timeZone }) })
  const offsetAt = (time: number) => {
    const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
    return Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute']) - time
  }
  // The offset of the time itself: at this moment in UTC another one may hold.
  return new Date(utc - offsetAt(utc - offsetAt(utc))).toISOString()
}

const WALL_CLOCK = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  hourCycle: 'h23',
  calendar: 'gregory',
} as const

function* namedDates(text: string, names: ReadonlyMap<string, MonthName>): Generator<QuestionDate | undefined> {
  const tokens = [...text.matchAll(wordOrNumber)].map(({ 0: token, index }) => ({ token, index }))
  for (const [at, { token }] of tokens.entries()) {
    const name = names.get(token.toLowerCase())
    if (!name) continue
    const next = (from: number, step: 1 | -1): number => {
      let place = from + step
      while (between.has(tokens[place]?.token.toLowerCase() ?? '')) place += step
      return place
    }
    let [first, last] = [at, at]
    const take = (place: number, pattern: RegExp) => {
      const found = tokens[place]?.token
      if (found === undefined || !pattern.test(found) || !joined(text, tokens, place, at)) return undefined
      ;[first, last] = [Math.min(first, place), Math.max(last, place)]
      return found
    }
    const day = take(next(at, -1), DAY) ?? take(next(at, 1), DAY)
    const year = take(next(last, 1), YEAR)
    const alone = day === undefined && year === undefined
    if (alone && (!name.whole || (name.otherWord && at === 0))) continue
    if (year === undefined && name.otherWord && !/^\p{Lu}/u.test(token)) continue
    const end = tokens[last]!
    yield dateOf(text.slice(tokens[first]!.index, end.index + end.token.length), year, String(name.month), day)
  }
}

type Tokens = readonly { readonly token: string; readonly index: number }[]

/** Whether nothing ends between two words: neither a sentence nor a part of it. */
function joined(text: string, tokens: Tokens, one: number, other: number): boolean {
  const [first, last] = one < other ? [one, other] : [other, one]
  return !/[^\p{L}\p{M}\p{N}\s.,'’ºª°]/u.test(text.slice(tokens[first]!.index, tokens[last]!.index))
}

function dateOf(
  written: string,
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
): QuestionDate | undefined {
  const [m, d] = [Number(month), day === undefined ? undefined : Number(day)]
  if (m < 1 || m > 12 || (d !== undefined && (d < 1 || d > 31))) return undefined
  return { written, month: m, ...(year !== undefined && { year: Number(year) }), ...(d !== undefined && { day: d }) }
}
