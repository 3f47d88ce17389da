import { t } from '../language/language.ts'
import { timeText } from '../parts/numbers.ts'

const nouns: Readonly<Record<string, string>> = {
  money: t`money`,
  tokens: t`tokens`,
  day: t`day`,
  model: t`model`,
  layer: t`layer`,
  skill: t`skill`,
  tool: t`tool`,
  agent: t`agent`,
  channel: t`channel`,
  token: t`token`,
  session: t`session`,
}

/** What calls are divided by, as a word: `day`. */
export function nounOf(id: string): string {
  return nouns[id] ?? id
}

/** Each with its own name as a title. */
export function titled<Id extends string>(
  ...ids: readonly Id[]
): readonly { readonly id: Id; readonly title: string }[] {
  return ids.map((id) => ({ id, title: titleOf(id) }))
}

export function titleOf(id: string): string {
  const noun = nounOf(id)
  return noun[0]!.toUpperCase() + noun.slice(1)
}

/** The first moment of a day (`2026-01-31`) of this browser's time zone, or of the day so many later; ISO 8601. */
export function dayStart(day: string, later: number): string {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || month === undefined || date === undefined) return ''
  return new Date(year, month - 1, date + later).toISOString()
}

/** `Mon, 23 Nov 2026` of `2026-11-23`. */
export function dayText(day: string): string {
  return timeText(`${day}T00:00:00Z`, {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })
}
