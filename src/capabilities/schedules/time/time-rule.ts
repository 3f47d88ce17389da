import { Cron } from 'croner'
import { defined, errorMessage, ForewordError } from '../../../platform.ts'

export type TimeRule =
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
