/** Each with its own name as a title. */
export function titled<Id extends string>(
  ...ids: readonly Id[]
): readonly { readonly id: Id; readonly title: string }[] {
  return ids.map((id) => ({ id, title: titleOf(id) }))
}

export function titleOf(id: string): string {
  return id[0]!.toUpperCase() + id.slice(1)
}

/** The first moment of a day (`2026-01-31`) of this browser's time zone, or of the day so many later; ISO 8601. */
export function dayStart(day: string, later: number): string {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || month === undefined || date === undefined) return ''
  return new Date(year, month - 1, date + later).toISOString()
}

/** `Mon, 23 Nov 2026` of `2026-11-23`. */
export function dayText(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })
}
