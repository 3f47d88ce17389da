import { type LogStore, type SessionRow, shownSession } from '../../session.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { usageFailure } from '../failure.ts'
import { note, print, printJson } from '../io.ts'
import { homeStore, withStore } from '../open-store.ts'
import { sessionTable, withTitle } from './session-table.ts'

export async function listSessions(call: CommandCall, io: Io): Promise<number> {
  const limit = Number(call.text('limit') ?? 50)
  if (!Number.isInteger(limit) || limit < 1) throw usageFailure('--limit needs a whole number above 0.')
  const rows = await withStore(
    await homeStore(call.home, io),
    async (store) => {
      const found = await store.sessions({ limit })
      return call.json ? found : Promise.all(found.map((row) => named(store, row)))
    },
    () => [],
  )
  if (call.json) {
    for (const row of rows) printJson(io, shownSession(row))
  } else if (rows.length === 0) {
    note(io, 'There are no sessions yet. `foreword send "Hello"` begins one.')
  } else {
    print(io, sessionTable(rows, io))
  }
  return 0
}

async function named(store: LogStore, row: SessionRow): Promise<SessionRow> {
  if (row.title !== undefined) return row
  const [input] = await store.entries(row.id, { types: ['input'], upTo: 5 })
  return withTitle(row, input)
}
