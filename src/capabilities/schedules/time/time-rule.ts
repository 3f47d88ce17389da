import { Cron } from 'croner'
import { defined, errorMessage, ForewordError } from '../../../platform.ts'

type TimeRule =
  /** Five fields about what the clocks of the time zone show. */
  | { readonly type: 'cron'; readonly pattern: string }
  /** So many minutes apart, counted from 1970 in UTC: no change of the clocks matters. */
  | { readonly type: 'interval'; readonly minutes: number }
  /** Once: what the clocks show then, as ms of the same date and time in UTC. */
  | { readonly type: 'once'; readonly wall: number }

/** Throws `invalid-input` that lists what is understood. */
export function parseTimeRule(text: string): TimeRule {
  const words = text.trim().replaceAll(/\s+/g, ' ').toLowerCase()
  const rule = onceRule(words) ?? intervalRule(words) ?? weekdayRule(words) ?? monthRule(words) ?? cronRule(words)
  if (rule) return rule
  throw notUnderstood(text)
}

const UNDERSTOOD = [
  'every day at 8:30',
  'every weekday at 8',
  'every monday and thursday at 18:00',
  'every 15 minutes',
  'on the first of the month at 9',
  'at 2026-12-01 09:00',
  '30 8 * * 1-5',
]

function notUnderstood(text: string, why?: string): ForewordError {
  const shown = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
  const message = `Cannot read the time ${shown}${why === undefined ? '' : `: ${why}`}.`
  const hint = `Write it such as ${UNDERSTOOD.map((example) => `"${example}"`).join(', ')}.`
  return new ForewordError('invalid-input', message, defined({ why }), { hint })
}

function onceRule(words: string): TimeRule | undefined {
  const found = /^(?:once )?(?:at |on )?(\d{4})-(\d\d)-(\d\d)(?: at |t| )(.+)$/.exec(words)
  if (!found) return undefined
  const [year, month, day] = found.slice(1, 4).map(Number) as [number, number, number]
  const time = clockTime(found[4]!)
  const date = new Date(Date.UTC(year, month - 1, day))
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  if (!time || !exists) throw notUnderstood(words, exists ? 'the time of the day is not clear' : 'there is no such day')
  return { type: 'once', wall: Date.UTC(year, month - 1, day, time.hour, time.minute) }
}

/** The longest interval, minutes: a day. Longer ones are days of a calendar. */
const LONGEST_INTERVAL = 24 * 60

function intervalRule(words: string): TimeRule | undefined {
  const found = /^every (?:(\d+) )?(minute|hour)s?$/.exec(words)
  if (!found) return undefined
  const minutes = Number(found[1] ?? 1) * (found[2] === 'hour' ? 60 : 1)
  if (minutes >= 1 && minutes <= LONGEST_INTERVAL) return { type: 'interval', minutes }
  throw notUnderstood(words, 'an interval is from a minute to 24 hours long')
}

const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

const dayGroups: Readonly<Record<string, string>> = { day: '*', weekday: '1-5', weekend: '0,6' }

function weekdayRule(words: string): TimeRule | undefined {
  const found = /^(?:every (.+?)|daily) at (.+)$/.exec(words)
  if (!found) return undefined
  const days = weekdays(found[1] ?? 'day')
  const time = clockTime(found[2]!)
  return days !== undefined && time ? cronAt(time, `* * ${days}`) : undefined
}

/** The field of cron for `day`, `weekday` or `monday, wednesday and friday`. */
function weekdays(words: string): string | undefined {
  if (Object.hasOwn(dayGroups, words)) return dayGroups[words]
  const days = words.split(/, and |, | and /).map((word) => {
    const name = word.replace(/s$/, '')
    return dayNames.findIndex((known) => known === name || (name.length === 3 && known.startsWith(name)))
  })
  return days.includes(-1) ? undefined : days.join(',')
}

const ordinals: Readonly<Record<string, string>> = { first: '1', second: '2', third: '3', last: 'L' }

function monthRule(words: string): TimeRule | undefined {
  const found =
    /^on the (first|second|third|last|\d{1,2})(?:st|nd|rd|th)?(?: day)? of (?:the|every|each) month at (.+)$/.exec(
      words,
    )
  const time = found && clockTime(found[2]!)
  if (!found || !time) return undefined
  const [, day = ''] = found
  if (/^\d/.test(day) && (Number(day) < 1 || Number(day) > 31)) throw notUnderstood(words, `no month has a day ${day}`)
  return cronAt(time, `${ordinals[day] ?? Number(day)} * *`)
}

interface ClockTime {
  readonly hour: number
  readonly minute: number
}

function cronAt({ hour, minute }: ClockTime, days: string): TimeRule {
  return { type: 'cron', pattern: `${minute} ${hour} ${days}` }
}

function clockTime(words: string): ClockTime | undefined {
  if (words === 'noon') return { hour: 12, minute: 0 }
  if (words === 'midnight') return { hour: 0, minute: 0 }
  const found = /^(\d{1,2})(?::(\d\d))?(?: ?(am|pm))?$/.exec(words)
  if (!found) return undefined
  const [hour, minute, half] = [Number(found[1]), Number(found[2] ?? 0), found[3]]
  if (minute > 59 || hour > (half ? 12 : 23) || (half && hour === 0)) return undefined
  return { hour: half ? (hour % 12) + (half === 'pm' ? 12 : 0) : hour, minute }
}

function cronRule(words: string): TimeRule | undefined {
  if (!/^[\d*][\w*/,-]*( [\w*/,-]+){4}$/.test(words)) return undefined
  try {
    const cron = new Cron(words, { timezone: 'UTC', mode: '5-part', paused: true })
    if (cron.nextRun(new Date(0)) === null) throw new Error('no day is like that')
  } catch (error) {
    throw notUnderstood(
      words,
      errorMessage(error)
        .replace(/^CronPattern: /, '')
        .replace(/\.$/, ''),
    )
  }
  return { type: 'cron', pattern: words }
}

export interface DueTimes {
  /** The first one after a moment. `undefined`: there is none any more. */
  next(after: number): number | undefined
  /** Those after `from` up to `to`, in order: of more than `most` the newest. */
  between(from: number, to: number, most: number): readonly number[]
}

/** A time that the clocks skip is due when they skip it; one shown twice, the first time. Each moment is due once. */
export function dueTimes(rule: TimeRule, timeZone: string): DueTimes {
  const next = nextOf(rule, timeZone)
  return {
    next,
    between(from, to, most) {
      if ((next(from) ?? Infinity) > to) return []
      // From the end, in steps that double: a long time away costs no more than what is asked for.
      for (let step = MINUTE_MS; ; step *= 2) {
        const start = Math.max(from, to - step)
        const found = collect(next, start, to)
        if (start === from || found.length >= most) return found.slice(-most)
      }
    },
  }
}

const MINUTE_MS = 60_000

function collect(next: DueTimes['next'], from: number, to: number): readonly number[] {
  const found: number[] = []
  for (let due = next(from); due !== undefined && due <= to; due = next(due)) found.push(due)
  return found
}

function nextOf(rule: TimeRule, timeZone: string): DueTimes['next'] {
  if (rule.type === 'interval') {
    const length = rule.minutes * MINUTE_MS
    return (after) => (Math.floor(after / length) + 1) * length
  }
  if (rule.type === 'once') {
    const moment = momentOf(rule.wall, timeZone)
    return (after) => (moment > after ? moment : undefined)
  }
  // Its own time zones lose hours where the clocks change, so it counts in UTC, which here is what the clocks show.
  const cron = new Cron(rule.pattern, { timezone: 'UTC', mode: '5-part', paused: true })
  return (after) => {
    let wall = cron.nextRun(new Date(wallTime(after, timeZone)))
    while (wall) {
      const moment = momentOf(wall.getTime(), timeZone)
      if (moment > after) return moment
      wall = cron.nextRun(wall)
    }
    return undefined
  }
}

/** What the clocks show, as ms of the same date and time in UTC: arithmetic with it knows no changes of the clocks. */
export function wallTime(moment: number, timeZone: string): number {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(new Date(moment))
      .map(({ type, value }) => [type, Number(value)]),
  ) as Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>>
  const { year, month, day, hour, minute, second } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** Where the clocks show `wall` twice, the first of the two; where they skip it, the moment at which they skip. */
function momentOf(wall: number, timeZone: string): number {
  const [earliest, latest] = [wall - DAY_MS, wall + DAY_MS]
  const offsets = [earliest, latest].map((moment) => wallTime(moment, timeZone) - Math.floor(moment / 1_000) * 1_000)
  const moments = offsets.map((offset) => wall - offset).toSorted((one, other) => one - other)
  return (
    moments.find((moment) => wallTime(moment, timeZone) === wall) ?? changeBetween({ earliest, latest, wall, timeZone })
  )
}

const DAY_MS = 86_400_000

interface SkippedTime {
  readonly earliest: number
  readonly latest: number
  readonly wall: number
  readonly timeZone: string
}

function changeBetween({ earliest, latest, wall, timeZone }: SkippedTime): number {
  let [before, after] = [earliest / 1_000, latest / 1_000]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (wallTime(middle * 1_000, timeZone) > wall) after = middle
    else before = middle
  }
  return after * 1_000
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { ...wallFormat, timeZone })
  formats.set(timeZone, format)
  return format
}

/** Making a format costs a hundred times what using it does. */
const formats = new Map<string, Intl.DateTimeFormat>()

const wallFormat = {
  calendar: 'gregory',
  numberingSystem: 'latn',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const
