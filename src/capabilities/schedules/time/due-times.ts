import { Cron } from 'croner'
import { momentOf, wallTime } from './wall-time.ts'
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
