import type { SessionRow } from '../../session.ts'
import type { Io } from '../../capability.ts'
import { lineLimit, safeForTerminal } from '../io.ts'
import { cutToCells, singleLine, table } from '../table.ts'
import { timeText } from '../time-text.ts'

/** On fewer columns, a session has two lines, because its title has no room beside the rest. */
const NARROW = 80

/** One session per line, or two on a narrow terminal, without turns and model. `current` is marked. A pipe gets every character. */
export function sessionTable(sessions: readonly SessionRow[], io: Io, current?: string): string {
  const columns = lineLimit(io)
  const now = new Date()
  const shown = sessions.map((row) => ({ ...row, ...(row.title && { title: safeForTerminal(row.title, io.stdout) }) }))
  const text = columns < NARROW ? narrow(shown, now, current) : wide(shown, now, current)
  return text
    .split('\n')
    .map((line) => cutToCells(line, columns))
    .join('\n')
}

function narrow(sessions: readonly SessionRow[], now: Date, current: string | undefined): string {
  return sessions
    .map(({ id, updated, title = '' }) => {
      const mark = id === current ? '* ' : ''
      return `${mark}${id}  ${timeText(updated, now)}\n  ${title}`
    })
    .join('\n')
}

function wide(sessions: readonly SessionRow[], now: Date, current: string | undefined): string {
  const rows = sessions.map(({ id, updated, turns, model = '', title = '' }) => [
    `${id === current ? '* ' : ''}${id}`,
    timeText(updated, now),
    String(turns),
    model,
    title,
  ])
  return table([['session', 'last activity', 'turns', 'model', 'title'], ...rows], [2])
}

/** A session without a title gets the beginning of its first message as one. */
export function withTitle(row: SessionRow): SessionRow {
  return row.title || row.opening === undefined ? row : { ...row, title: singleLine(row.opening, 60) }
}
