/** Formats that every workbook knows by their numbers, in all languages. */
const builtIn = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const

/** Whether numbers in this format are days and times: a known one, or one whose code speaks of years, days or hours. */
export function isDateFormat(format: number, code: string | undefined): boolean {
  if (code === undefined) return builtIn.some(([from, to]) => format >= from && format <= to)
  const [first = ''] = code.split(';')
  // Quoted and escaped text, and colours in brackets, say nothing; `[h]` counts hours, which is a duration.
  return /[ydhs]|m{1,4}/i.test(first.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|General/gi, ''))
}

const dayMs = 86_400_000

/** `2024-01-31`, with `13:45:00` where there is a time, or the time alone; nothing where no calendar has the number. */
export function dateText(serial: number, startsIn1904: boolean): string | undefined {
  // Day 60 is a 29 February 1900 that never was: days before it are one later than they seem.
  const days = startsIn1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial
  if (serial < 0 || days > 2_958_466) return undefined
  const at = new Date(Math.round(((days - 25_569) * dayMs) / 1000) * 1000).toISOString()
  const [date, time] = [at.slice(0, 10), at.slice(11, 19)]
  if (serial < 1 && !startsIn1904) return time
  return time === '00:00:00' ? date : `${date} ${time}`
}
