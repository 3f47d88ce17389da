import { commandWithSubcommands } from '../subcommand.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { type LogStore, type SessionRow, sessionView } from '../../session.ts'
import { sendRequest, requestJson, apiPath } from '../answer.ts'
import { confirmAction, connectionPurpose } from '../approval/asking.ts'
import { withConnection } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { findSession } from '../find-session.ts'
import { note, printJson, printList } from '../io.ts'
import { findHomeStore, withStore } from '../open-store.ts'
import { sessionTable, withTitle } from '../sessions/session-table.ts'
import { listBranches } from '../sessions/branches.ts'
import { showSession } from '../sessions/show.ts'
import { exportSessionFile, importSessionFile } from '../sessions/transfer.ts'

export const sessionsCommand = commandWithSubcommands({
  name: 'sessions',
  summary: 'list, show, export, import and delete sessions, and list their branches',
  details:
    '`export` writes JSON Lines, complete and exact; `import` recreates the same session from them (`-` reads standard input). ' +
    'The command works with and without a running gateway.',
  options: {
    limit: { value: 'N', summary: 'list at most N sessions (default: 50)' },
    output: { value: 'FILE', summary: 'write the export to FILE instead of standard output' },
    as: { value: 'ID', summary: 'import under this id' },
    yes: { summary: 'delete without asking' },
  },
  first: 'list',
  subcommands: {
    list: { usage: '[--limit N] [--json]', run: listSessions },
    show: { usage: 'ID [--json]', run: showSession },
    branches: { usage: 'ID [--json]', run: listBranches },
    export: { usage: 'ID [--output FILE]', run: exportSessionFile },
    import: { usage: 'FILE [--as ID]', run: importSessionFile },
    delete: { usage: 'ID [--yes]', run: deleteSession },
  },
})

async function listSessions(call: CommandCall, io: Io): Promise<number> {
  const limit = Number(call.text('limit') ?? 50)
  if (!Number.isInteger(limit) || limit < 1)
    throw usageFailure(`--limit must be a whole number above 0, not "${call.text('limit')}".`)
  const rows = await withStore(
    await findHomeStore(call.home, io),
    async (store) => {
      const found = await store.sessions({ limit })
      return call.json ? found : Promise.all(found.map((row) => withFirstInput(store, row)))
    },
    () => [],
  )
  const empty = 'No sessions yet. Start one with `foreword chat`.'
  return printList<object>(
    call.json ? rows.map(sessionView) : rows,
    { empty, table: () => sessionTable(rows, io) },
    call,
    io,
  )
}

async function withFirstInput(store: LogStore, row: SessionRow): Promise<SessionRow> {
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
