import { RuntimeError } from './runtime-error.ts'

/** Tells the day of a time (ISO 8601, UTC) in a time zone, as `2026-01-31`. Rejects a zone that does not exist. */
export function dayIn(zone: string): (time: string) => string {
  const format = dayFormat(zone)
  // No zone begins a day within a quarter of an hour of UTC, and formatting a time takes microseconds.
  const known = new Map<string, string>()
  return (time) => {
    const quarter = `${time.slice(0, 14)}${Math.floor(Number(time.slice(14, 16)) / 15)}`
    const before = known.get(quarter)
    if (before !== undefined) return before
    const day = format.format(new Date(time))
    known.set(quarter, day)
    return day
  }
}

function dayFormat(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  } catch {
    throw new RuntimeError(
      'invalid-input',
      `No time zone has the name "${zone}".`,
      { zone },
      { hint: 'Use a name such as Europe/Berlin, or UTC.' },
    )
  }
}
