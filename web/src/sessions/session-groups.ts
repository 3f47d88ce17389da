import type { ListedSession } from '../api/listed-session.ts'
import { timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

/** Sessions that are listed below one heading. */
export interface SessionGroup {
  readonly title: string
  readonly sessions: readonly ListedSession[]
}

const DAY_MS = 86_400_000

/**
 * Sessions by the day of their newest entry, in this browser's time. Those of other programs of the last week have a group of
 * their own. Without a day there is one group, as for what a search has found.
 */
export function groupsOf(sessions: readonly ListedSession[], now: Date | undefined): readonly SessionGroup[] {
  if (now === undefined) return sessions.length === 0 ? [] : [{ title: t`Found`, sessions }]
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const titleOf = ({ updated, program }: ListedSession): string => {
    const time = Date.parse(updated)
    if (time < today - 6 * DAY_MS) return t`Older`
    if (program) return t`Other programs`
    if (time >= today) return t`Today`
    return time >= today - DAY_MS ? t`Yesterday` : t`Last week`
  }
  const groups = Map.groupBy(sessions, titleOf)
  return [t`Today`, t`Yesterday`, t`Last week`, t`Other programs`, t`Older`].flatMap((title) => {
    const own = groups.get(title)
    return own ? [{ title, sessions: own }] : []
  })
}

/** `23 Nov`, with the year where it is another one. */
export function shortDay(time: string, now: Date = new Date()): string {
  const date = new Date(time)
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric'
  return timeText(date, { day: 'numeric', month: 'short', year })
}
