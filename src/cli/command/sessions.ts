import { runSubcommand, type Subcommand } from '../subcommand.ts'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { type LogStore, type SessionRow, sessionView } from '../../session.ts'
import { sendRequest, requestJson, apiPath } from '../answer.ts'
import { confirmAction, connectionPurpose } from '../approval/asking.ts'
import { jsonOption } from '../arguments.ts'
import { withConnection } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { findSession } from '../find-session.ts'
import { note, print, printJson } from '../io.ts'
import { findHomeStore, withStore } from '../open-store.ts'
import { sessionTable, withTitle } from '../sessions/session-table.ts'
import { showSession } from '../sessions/show.ts'
import { exportSessionFile, importSessionFile } from '../sessions/transfer.ts'

export const sessionsCommand: Command = {
  name: 'sessions',
  summary: 'list, show, export, import and delete sessions',
  usage: [
    'sessions [list] [--limit N] [--json]',
    'sessions show ID [--json]',
    'sessions export ID [--output FILE]',
    'sessions import FILE [--as ID]',
    'sessions delete ID [--yes]',
  ],
  details:
    'export writes JSON Lines, complete and exact; import recreates the same session from them (`-` reads standard input). ' +
    'The command works with and without a running gateway.',
  words: { least: 0, most: 2 },
  options: {
    limit: { value: 'N', summary: 'list at most N sessions (default: 50)' },
    output: { value: 'FILE', summary: 'write the export to FILE instead of standard output' },
    as: { value: 'ID', summary: 'import under this id' },
    yes: { summary: 'delete without asking' },
    json: jsonOption,
  },
  run: (call, io) => runSubcommand(sessionsCommand, subcommands, 'list', call, io),
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  list: { least: 0, most: 0, run: listSessions },
  show: { least: 1, most: 1, run: showSession },
  export: { least: 1, most: 1, run: exportSessionFile },
  import: { least: 1, most: 1, run: importSessionFile },
  delete: { least: 1, most: 1, run: deleteSession },
}

async function listSessions(call: CommandCall, io: Io): Promise<number> {
  const limit = Number(call.text('limit') ?? 50)
  if (!Number.isInteger(limit) || limit < 1) throw usageFailure('--limit must be a whole number above 0.')
  const rows = await withStore(
    await findHomeStore(call.home, io),
    async (store) => {
      const found = await store.sessions({ limit })
      return call.json ? found : Promise.all(found.map((row) => named(store, row)))
    },
    () => [],
  )
  if (call.json) {
    for (const row of rows) printJson(io, sessionView(row))
  } else if (rows.length === 0) {
    note(io, 'No sessions yet. Start one with `foreword chat`.')
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

/** Deletes through the gateway, because a turn may be running in the session. */
async function deleteSession(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, connectionPurpose(call, io), async (connection) => {
    const id = await findSession(connection, call.words[1]!)
    const row = await requestJson<SessionRow>(connection, apiPath('/api/sessions/', id))
    const question = `Delete session ${row.id} with ${row.turns} turns permanently?`
    if (!(await confirmAction(question, call, io))) {
      note(io, 'Nothing was deleted.')
      return 1
    }
    await sendRequest(connection, apiPath('/api/sessions/', id), { method: 'DELETE' })
    if (call.json) printJson(io, { deleted: id })
    else note(io, `Deleted session ${id}.`)
    return 0
  })
}
