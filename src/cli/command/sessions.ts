import type { Command, CommandCall, Io } from '../../capability.ts'
import { nearestName } from '../../platform.ts'
import { type LogStore, type SessionRow, shownSession } from '../../session.ts'
import { answer, ask, pathTo } from '../answer.ts'
import { personAgrees, purposeOf } from '../approval/asking.ts'
import { jsonOption } from '../arguments.ts'
import { connected } from '../connection.ts'
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
    'Export writes JSON Lines, complete and exact; import (`-` reads the standard input) makes the same session of them. ' +
    'Works with and without a running gateway.',
  words: { least: 0, most: 2 },
  options: {
    limit: { value: 'N', summary: 'list at most so many, 50 unless said' },
    output: { value: 'FILE', summary: 'export to a file instead of the standard output' },
    as: { value: 'ID', summary: 'import under another id' },
    yes: { summary: 'delete without asking' },
    json: jsonOption,
  },
  run: (call, io) => actionOf(call)(call, io),
}

/** One action on sessions; the word behind it names a session or a file. */
type Action = (call: CommandCall, io: Io) => Promise<number>

const actions: Readonly<Record<string, Action>> = {
  list: listSessions,
  show: showSession,
  export: exportSessionFile,
  import: importSessionFile,
  delete: deleteSession,
}

function actionOf(call: CommandCall): Action {
  const [name = 'list', word] = call.words
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    const near = nearestName(name, Object.keys(actions))
    throw usageFailure(
      `\`foreword sessions\` cannot \`${name}\`.`,
      near === undefined ? `It can ${Object.keys(actions).join(', ')}.` : `Did you mean \`foreword sessions ${near}\`?`,
    )
  }
  if (name === 'list' && word !== undefined) throw usageFailure('A list takes no further word.')
  if (name !== 'list' && word === undefined) {
    const wanted = name === 'import' ? 'FILE' : 'ID'
    throw usageFailure(
      `\`foreword sessions ${name}\` needs one more word.`,
      `Write \`foreword sessions ${name} ${wanted}\`.`,
    )
  }
  return action
}

async function listSessions(call: CommandCall, io: Io): Promise<number> {
  const limit = Number(call.text('limit') ?? 50)
  if (!Number.isInteger(limit) || limit < 1) throw usageFailure('--limit needs a whole number above 0.')
  const rows = await withStore(
    await findHomeStore(call.home, io),
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

/** Through the gateway, since a turn may be running in the session. */
async function deleteSession(call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, purposeOf(call, io), async (connection) => {
    const id = await findSession(connection, call.words[1]!)
    const row = await ask<SessionRow>(connection, pathTo('/api/sessions/', id))
    const question = `Delete session ${row.id} with ${row.turns} turns, for good?`
    if (!(await personAgrees(question, call, io))) {
      note(io, 'Nothing was deleted.')
      return 1
    }
    await answer(connection, pathTo('/api/sessions/', id), { method: 'DELETE' })
    if (call.json) printJson(io, { deleted: id })
    else note(io, `Session ${id} is deleted.`)
    return 0
  })
}
