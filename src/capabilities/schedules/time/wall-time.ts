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
export function momentOf(wall: number, timeZone: string): number {
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
