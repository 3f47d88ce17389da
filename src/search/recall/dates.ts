/** A day or a month that a question names. */
export interface QuestionDate {
  /** As written in the question. */
  readonly written: string
  /** Of every year where absent. */
  readonly year?: number
  /** From 1. */
  readonly month: number
  /** The whole month where absent. */
  readonly day?: number
}

/** A period, ISO 8601 in UTC: `from` is included, `to` is not. */
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
/** Words between the day, the month and the year: "7th of May", "7 de mayo de 2023". */
const between = new Set(['st', 'nd', 'rd', 'th', 'of', 'er', 'de', 'del', 'den', 'di', 'd'])

/**
 * The dates that a question names: `2023-05-07`, `2023-05`, `7.5.2023`, `2023年5月7日`, or with the name of the month in one
 * of these languages. A year alone is a number like others.
 */
export function parseDates(text: string, languages: readonly string[]): readonly QuestionDate[] {
  const found = [
    ...[...text.matchAll(yearFirst)].map(([all, year, month, day, m, d]) =>
      questionDate(all, year, month ?? m, day ?? d),
    ),
    ...[...text.matchAll(dayFirst)].map(([all, day, month, year]) => questionDate(all, year, month, day)),
    ...[...text.matchAll(eastAsian)].map(([all, year, month, day]) => questionDate(all, year, month, day)),
    ...namedDates(text, monthNames(languages)),
  ]
  return found.filter((date) => date !== undefined)
}

/**
 * The period of a date in a time zone (`Europe/Berlin`; this machine's unless given); one for each of `years` if it names
 * no year.
 */
export function datePeriods(
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
  // The offset at the local time: at `utc` itself another one may apply.
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
    yield questionDate(text.slice(tokens[first]!.index, end.index + end.token.length), year, String(name.month), day)
  }
}

type Tokens = readonly { readonly token: string; readonly index: number }[]

/** Whether no sentence or clause ends between two words. */
function joined(text: string, tokens: Tokens, one: number, other: number): boolean {
  const [first, last] = one < other ? [one, other] : [other, one]
  return !/[^\p{L}\p{M}\p{N}\s.,'’ºª°]/u.test(text.slice(tokens[first]!.index, tokens[last]!.index))
}

function questionDate(
  written: string,
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
): QuestionDate | undefined {
  const [m, d] = [Number(month), day === undefined ? undefined : Number(day)]
  if (m < 1 || m > 12 || (d !== undefined && (d < 1 || d > 31))) return undefined
  return { written, month: m, ...(year !== undefined && { year: Number(year) }), ...(d !== undefined && { day: d }) }
}

interface MonthName {
  /** From 1. */
  readonly month: number
  /** The word is not an abbreviation. */
  readonly whole: boolean
  /** The word has another meaning too: without a year it is a month only with a capital letter. */
  readonly otherWord: boolean
}

const OTHER_WORDS = new Set(['march', 'may', 'august'])
const known = new Map<string, ReadonlyMap<string, MonthName>>()

/** The names of the months in English and in these languages, in lower case, as Unicode lists them. */
function monthNames(languages: readonly string[]): ReadonlyMap<string, MonthName> {
  const names = [...new Set(['english', ...languages])].toSorted()
  const key = names.join(' ')
  const before = known.get(key)
  if (before) return before
  const found = names.flatMap((name) => (locales[name] ?? []).flatMap(localeNames))
  // An abbreviation in one language may be the whole name in another.
  const made = new Map(found.toSorted(([, a], [, b]) => Number(a.whole) - Number(b.whole)))
  known.set(key, made)
  return made
}

/** The month names of a locale, alone and beside a day, long and short. */
function localeNames(locale: string): readonly (readonly [string, MonthName])[] {
  return (['short', 'long'] as const).flatMap((length) =>
    [{}, { day: 'numeric' } as const].flatMap((beside) => {
      const format = new Intl.DateTimeFormat(locale, { ...beside, month: length, calendar: 'gregory', timeZone: 'UTC' })
      return Array.from({ length: 12 }, (_, index) => {
        const parts = format.formatToParts(Date.UTC(2026, index, 15))
        const written = parts.find(({ type }) => type === 'month')!.value
        const name = written.toLowerCase().replace(/\.$/, '')
        return [name, { month: index + 1, whole: length === 'long', otherWord: OTHER_WORDS.has(name) }] as const
      })
    }),
  )
}

const locales: Readonly<Record<string, readonly string[]>> = {
  english: ['en-US', 'en-GB'],
  german: ['de'],
  french: ['fr'],
  spanish: ['es'],
  italian: ['it'],
  portuguese: ['pt'],
  dutch: ['nl'],
  danish: ['da'],
  norwegian: ['nb'],
  swedish: ['sv'],
  finnish: ['fi'],
  hungarian: ['hu'],
  romanian: ['ro'],
  russian: ['ru'],
  ukrainian: ['uk'],
  bulgarian: ['bg'],
  greek: ['el'],
  turkish: ['tr'],
  arabic: ['ar'],
  indonesian: ['id'],
}
