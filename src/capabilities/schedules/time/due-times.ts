import { Cron } from 'croner'
import type { TimeRule } from './time-rule.ts'

export interface DueTimes {
  /** The first one after a moment. `undefined`: there is none any more. */
  next(after: number): number | undefined
  /** Those after `from` up to `to`, in order: of more than `most` the newest. */
  between(from: number, to: number, most: number): readonly number[]
}

/**
 * A time that the clocks skip is due when they skip it, and a time that they show twice is due the first time. Two
 * times that fall on one moment are one.
 */
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
  const offsets = [earliest, latest].map((moment) => offsetAt(moment, timeZone))
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

function offsetAt(moment: number, timeZone: string): number {
  return wallTime(moment, timeZone) - Math.floor(moment / 1_000) * 1_000
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
