import type { Connection } from '../sqlite/connection.ts'
import { type Period, periodsOf, type QuestionDate } from './dates.ts'
import { MOST_PASSAGES, type NumberRange, passageNumber, sessionOf } from './numbering.ts'
import type { Scope } from './scope.ts'

/** How many years, up to the newest, a date without a year is looked for in. */
const MOST_YEARS = 20

interface SessionRow {
  readonly number: number
  readonly next: number
  readonly created: string
  readonly mark: string
}

/**
 * Which passages within a scope were said on a date, ascending. A session's passages stand in the order of their times, so
 * they are found by halving, and only in sessions that had begun and not ended by then.
 */
export function spansOf(connection: Connection, scope: Scope, date: QuestionDate): readonly NumberRange[] {
  const latest = connection.get<{ readonly mark: string | null }>('select max(mark) as mark from sessions')?.mark
  const newest = latest ? new Date(latest).getFullYear() : NaN
  if (Number.isNaN(newest)) return []
  const years = Array.from({ length: MOST_YEARS }, (_, index) => newest - index)
  return periodsOf(date, years)
    .flatMap((period) => sessionsIn(connection, scope, period).flatMap((row) => spanIn(connection, row, period)))
    .toSorted((a, b) => a.first - b.first)
}

function sessionsIn(
  connection: Connection,
  { first, last, sessions }: Scope,
  { from, to }: Period,
): readonly SessionRow[] {
  return connection.all<SessionRow>(
    `select number, next, created, mark from sessions where leaving = 0 and next > 0 and created < ?1 and mark >= ?2
       and number between ?3 and ?4 and (?5 is null or number in (select value from json_each(?5)))`,
    to,
    from,
    sessionOf(first),
    sessionOf(last),
    sessions,
  )
}

/** Of one session, the passages that were said in a period. */
function spanIn(connection: Connection, { number, next }: SessionRow, { from, to }: Period): readonly NumberRange[] {
  const count = Math.min(next, MOST_PASSAGES)
  const before = (time: string) => {
    let [low, high] = [0, count]
    while (low < high) {
      const middle = (low + high) >> 1
      const row = connection.get<{ readonly time: string }>(
        'select time from passages where number = ?',
        passageNumber(number, middle),
      )
      if (row && row.time < time) low = middle + 1
      else high = middle
    }
    return low
  }
  const [first, end] = [before(from), before(to)]
  return end > first ? [{ first: passageNumber(number, first), last: passageNumber(number, end - 1) }] : []
}
