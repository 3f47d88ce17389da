import type { Connection } from '../sqlite/connection.ts'
import { type Period, periodsOf, type QuestionDate } from './dates.ts'
import { MOST_PASSAGES, type NumberRange, passageNumber, sessionOf } from './numbering.ts'
import type { Scope } from './scope.ts'

interface SessionRow {
  readonly number: number
  readonly next: number
  readonly created: string
  /** When its newest passage was said, or something after it. */
  readonly mark: string
}

/**
 * Which passages within a scope were said on a date, ascending. A session's passages stand in the order of their times, so
 * they are found by halving, and only in sessions that had begun and not ended by then.
 */
export function spansOf(
  connection: Connection,
  scope: Scope,
  date: QuestionDate,
  timeZone: string | undefined,
): readonly NumberRange[] {
  const rows = sessionsIn(connection, scope)
  return periodsOf(date, yearsOf(rows), timeZone)
    .flatMap((period) =>
      rows
        .filter(({ created, mark }) => created < period.to && mark >= period.from)
        .flatMap((row) => spanIn(connection, row, period)),
    )
    .toSorted((a, b) => a.first - b.first)
}

function sessionsIn(connection: Connection, { first, last, sessions }: Scope): readonly SessionRow[] {
  return connection.all<SessionRow>(
    `select number, next, created, mark from sessions where leaving = 0 and next > 0
       and number between ?1 and ?2 and (?3 is null or number in (select value from json_each(?3)))`,
    sessionOf(first),
    sessionOf(last),
    sessions,
  )
}

/** The years from the first to the newest of them, with one more on each side: a year begins earlier elsewhere. */
function yearsOf(rows: readonly SessionRow[]): readonly number[] {
  const years = rows.flatMap(({ created, mark }) => [Number.parseInt(created, 10), Number.parseInt(mark, 10)])
  const known = years.filter((year) => year > 0)
  if (known.length === 0) return []
  const [first, last] = known.reduce(([low, high], year) => [Math.min(low, year), Math.max(high, year)], [Infinity, 0])
  return Array.from({ length: last - first + 3 }, (_, index) => first - 1 + index)
}

/** Of one session, the passages that were said in a period. */
function spanIn(
  connection: Connection,
  { number, next, created, mark }: SessionRow,
  { from, to }: Period,
): readonly NumberRange[] {
  const count = Math.min(next, MOST_PASSAGES)
  /** How many of them were said before. */
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
  const first = created >= from ? 0 : before(from)
  const end = mark < to ? count : before(to)
  return end > first ? [{ first: passageNumber(number, first), last: passageNumber(number, end - 1) }] : []
}
