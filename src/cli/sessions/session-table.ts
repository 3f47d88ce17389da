import type { Entry, SessionRow } from '../../session.ts'
import { lineLimit } from '../io.ts'
import type { Io } from '../../capability.ts'
import { safeForTerminal } from '../io.ts'
import { cutToCells, singleLine, table } from '../table.ts'
import { timeText } from '../time-text.ts'

/** Below so many columns a session has two lines: its title would have no room beside it. */
const NARROW = 80

/** One session a line, or two on a narrow terminal, where turns and model are left out. `current` is marked. A pipe gets every character. */
export function sessionTable(sessions: readonly SessionRow[], io: Io, current?: string): string {
  const columns = lineLimit(io)
  const now = new Date()
  const text = columns < NARROW ? narrow(sessions, now, current) : wide(sessions, now, current)
  return text
    .split('\n')
    .map((line) => safeForTerminal(cutToCells(line, columns), io.stdout))
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

/** A session without a title goes by the first thing that was said in it. */
export function withTitle(row: SessionRow, first: Entry | undefined): SessionRow {
  if (row.title || first?.type !== 'input') return row
  const { content } = first.message
  const said =
    typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join(' ')
  return { ...row, title: singleLine(said, 60) }
}
