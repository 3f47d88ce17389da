import type { SessionRow, SessionStore } from '../../session.ts'
import type { CommandCall } from '../command.ts'
import { usageFailure } from '../failure.ts'
import { type Io, note, print, printJson, width } from '../io.ts'
import { withStore } from '../open-store.ts'
import { harmless } from '../style.ts'
import { oneLine, table } from '../table.ts'
import { timeText } from '../time-text.ts'

export async function listSessions(call: CommandCall, io: Io): Promise<number> {
  const limit = Number(call.text('limit') ?? 50)
  if (!Number.isInteger(limit) || limit < 1) throw usageFailure('--limit needs a whole number above 0.')
  const rows = await withStore(
    call.home,
    async (store) => {
      const found = await store.sessions({ limit })
      return call.json ? found : Promise.all(found.map((row) => named(store, row)))
    },
    () => [],
  )
  if (call.json) {
    for (const row of rows) printJson(io, row)
  } else if (rows.length === 0) {
    note(io, 'There are no sessions yet. `foreword send "Hello"` begins one.')
  } else {
    const now = new Date()
    const lines = rows.map((row) => [
      row.id,
      timeText(row.updated, now),
      String(row.turns),
      row.model ?? '',
      row.title ?? '',
    ])
    const text = table([['session', 'last activity', 'turns', 'model', 'title'], ...lines], [2])
    print(
      io,
      text
        .split('\n')
        .map((line) => harmless(io.stdout.isTTY === true ? line.slice(0, width(io)) : line, io.stdout))
        .join('\n'),
    )
  }
  return 0
}

/** A session without a title goes by the first thing that was said in it. */
async function named(store: SessionStore, row: SessionRow): Promise<SessionRow> {
  if (row.title !== undefined) return row
  const [input] = await store.entries(row.id, { types: ['input'], upTo: 5 })
  if (input?.type !== 'input') return row
  const { content } = input.message
  const said =
    typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join(' ')
  return { ...row, title: oneLine(said, 60) }
}
