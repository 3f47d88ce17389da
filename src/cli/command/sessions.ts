import { commandWithSubcommands } from '../subcommand.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { sessionActivities, type SessionLabel, type SessionRow, sessionView } from '../../session.ts'
import { sendRequest, requestJson, apiPath } from '../answer.ts'
import { confirmAction, connectionPurpose } from '../approval/asking.ts'
import { withConnection } from '../connection.ts'
import { defined, errorMessage } from '../../platform.ts'
import { exactLine } from '../../context.ts'
import { usageFailure } from '../failure.ts'
import { findSession } from '../find-session.ts'
import { note, printJson, printList } from '../io.ts'
import { findHomeStore, withStore } from '../open-store.ts'
import { type ListedSession, missingCosts, sessionTable, withTitle } from '../sessions/session-table.ts'
import { listBranches } from '../sessions/branches.ts'
import { showSession } from '../sessions/show.ts'
import { exportSessionFile, importSessionFile } from '../sessions/transfer.ts'

export const sessionsCommand = commandWithSubcommands({
  name: 'sessions',
  summary: 'list, find, name, file, show, export, import and delete sessions, and list their branches',
  details:
    '`list --search` looks at titles and first messages; `foreword search --history` looks at everything that was said. ' +
    '`export` writes JSON Lines, complete and exact; `import` recreates the same session from them (`-` reads standard input). ' +
    'The command works with and without a running gateway.',
  options: {
    limit: { value: 'N', summary: 'list at most N sessions (default: 50)' },
    search: { value: 'WORDS', summary: 'list only sessions whose title has these words' },
    folder: { value: 'NAME', summary: 'list only sessions in this folder' },
    state: { value: 'STATE', summary: `list only sessions in this state: ${sessionActivities.join(', ')}` },
    output: { value: 'FILE', summary: 'write the export to FILE instead of standard output' },
    as: { value: 'ID', summary: 'import under this id' },
    yes: { summary: 'delete without asking' },
  },
  first: 'list',
  subcommands: {
    list: {
      usage: '[--search WORDS] [--folder NAME] [--state STATE] [--limit N] [--json]',
      run: listSessions,
    },
    show: { usage: 'ID [--json]', run: showSession },
    rename: { usage: 'ID TITLE [--json]', run: renameSession },
    pin: { usage: 'ID [--json]', run: (call, io) => labelSession(call, io, { pinned: true }) },
    unpin: { usage: 'ID [--json]', run: (call, io) => labelSession(call, io, { pinned: false }) },
    move: { usage: 'ID FOLDER [--json]', run: moveSession },
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
  const filter = defined({ words: call.text('search'), folder: call.text('folder'), state: findState(call) })
  const rows = await withStore(
    await findHomeStore(call.home),
    async (store) => {
      const found = await store.sessions({ limit, ...filter })
      return call.json ? found : found.map(withTitle)
    },
    () => [],
  )
  const known = await fetchKnown(rows.length, filter, call, io)
  const listed = rows.map((row) => {
    const { cost, program } = known.get(row.id) ?? {}
    return { ...row, ...defined({ cost, program }) }
  })
  const empty =
    Object.keys(filter).length > 0
      ? 'No session matches. List them all with `foreword sessions`.'
      : 'No sessions yet. Start one with `foreword chat`.'
  const table = () => [sessionTable(listed, io), missingCosts(listed)].filter((text) => text !== '').join('\n\n')
  return printList<object>(call.json ? listed.map(sessionView) : listed, { empty, table }, call, io)
}

/** Only the runtime knows prices. Where it cannot be opened, such as with a broken configuration, sessions are listed all the same. */
async function fetchKnown(
  count: number,
  { words, ...filter }: { readonly words?: string; readonly folder?: string; readonly state?: string },
  call: CommandCall,
  io: Io,
): Promise<ReadonlyMap<string, Known>> {
  if (count === 0) return new Map()
  const query = { ...filter, ...defined({ q: words }) }
  try {
    return await withConnection(call.home, io, 'read', async (connection) => {
      const known = new Map<string, Known>()
      for (let offset = 0; offset < count; offset += PAGE) {
        const page = { ...query, cost: 'true', limit: String(Math.min(PAGE, count - offset)), offset: String(offset) }
        const { sessions } = await requestJson<{ readonly sessions: readonly ListedSession[] }>(
          connection,
          `/api/sessions?${new URLSearchParams(page).toString()}`,
        )
        for (const { id, cost, program } of sessions) known.set(id, { cost, program })
      }
      return known
    })
  } catch (error) {
    note(io, `The costs are not known: ${errorMessage(error)}`)
    return new Map()
  }
}

/** What only the gateway knows of a session. */
type Known = Pick<ListedSession, 'cost' | 'program'>

/** Sessions that are asked about at once. */
const PAGE = 500

function findState(call: CommandCall) {
  const word = call.text('state')
  const state = sessionActivities.find((each) => each === word)
  if (word === undefined || state !== undefined) return state
  throw usageFailure(`--state must be one of ${sessionActivities.join(', ')}, not "${word}".`)
}

/** `-` removes the title: the session is listed by its first message again. */
async function renameSession(call: CommandCall, io: Io): Promise<number> {
  const [, , title] = call.words
  return labelSession(call, io, { title: title === '-' ? null : title! })
}

/** `-` takes the session out of its folder. */
async function moveSession(call: CommandCall, io: Io): Promise<number> {
  const [, , folder] = call.words
  return labelSession(call, io, { folder: folder === '-' ? null : folder! })
}

/** Through the gateway, so that open pages show it at once. */
async function labelSession(call: CommandCall, io: Io, label: SessionLabel): Promise<number> {
  return await withConnection(call.home, io, 'write', async (connection) => {
    const id = await findSession(connection, call.words[1]!)
    const row = await requestJson<SessionRow>(connection, apiPath('/api/sessions/', id), {
      method: 'PATCH',
      body: label,
    })
    const { title, opening = 'no title', pinned, folder } = row
    const facts = [pinned ? ['pinned'] : [], folder === undefined ? [] : [`in ${exactLine(folder)}`]].flat()
    const text = [`${id}: ${exactLine(title ?? opening)}`, ...facts].join(', ')
    if (call.json) printJson(io, row)
    else note(io, `${text}.`)
    return 0
  })
}

/** Deletes through the gateway, because a turn may be running in the session. */
async function deleteSession(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, connectionPurpose(call, io), async (connection) => {
    const id = await findSession(connection, call.words[1]!)
    const { turns, program } = await requestJson<ListedSession>(connection, apiPath('/api/sessions/', id))
    const what = program ? `${program.calls} calls of ${exactLine(program.name)}` : `${turns} turns`
    const question = `Delete session ${id} with ${what} permanently?`
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
