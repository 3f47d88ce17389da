/** Longest age that a list shows without a date, ms. */
const RECENT_MS = 24 * 3_600_000

const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** A time in a list: `3 minutes ago` within a day, else the local date with its zone. Text that is no time stays as it is. */
export function timeText(time: string, now: Date): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return time
  return Math.abs(now.getTime() - date.getTime()) < RECENT_MS ? ageText(date, now) : localTime(date)
}

/** Both forms of a time: `3 minutes ago, 2026-03-10 12:57 +01:00`. */
export function fullTimeText(time: string, now: Date): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : `${ageText(date, now)}, ${localTime(date)}`
}

/** A sentence with its ISO 8601 times, such as `2026-03-10T11:57:00.000Z`, replaced by local ones. */
export function withLocalTimes(sentence: string): string {
  return sentence.replaceAll(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z/g, (time) =>
    localTime(new Date(time)),
  )
}

/** In its largest whole unit, such as `3 hours ago` or `in 10 minutes`. */
function ageText(date: Date, now: Date): string {
  const passed = now.getTime() - date.getTime()
  for (const [unit, span] of SPANS) {
    const count = Math.floor(Math.abs(passed) / span)
    if (count < 1) continue
    const length = `${count} ${unit}${count === 1 ? '' : 's'}`
    return passed > 0 ? `${length} ago` : `in ${length}`
  }
  return 'just now'
}

/** In the zone of this machine, or of `TZ`: `2026-03-10 12:57 +01:00`. */
function localTime(date: Date): string {
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
  const offset = -date.getTimezoneOffset()
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map(twoDigits)
  const zone = offset === 0 ? 'UTC' : `${offset < 0 ? '-' : '+'}${hours}:${minutes}`
  return `${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())} ${zone}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
