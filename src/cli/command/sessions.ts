import { listCommand, changeCommand } from '../gateway-commands.ts'
import { commandWithSubcommands } from '../subcommand.ts'
import type { Command, GatewayConnection, CommandCall, Io, Branch } from '../../capability.ts'
import { sessionActivities, type SessionLabel, type SessionRow, sessionView, type SessionStore } from '../../session.ts'
import { sendRequest, requestJson, apiPath, requestList } from '../answer.ts'
import { confirmAction, connectionPurpose } from '../approval/asking.ts'
import { withConnection } from '../connection.ts'
import { defined, errorMessage, type KnownSecrets } from '../../platform.ts'
import { countedText, exactLine } from '../../context.ts'
import { usageFailure, CommandFailure } from '../failure.ts'
import { findSession, findStoredSession } from '../find-session.ts'
import { note, printList, safeForTerminal, programCapabilities, printChange } from '../io.ts'
import { findHomeStore, withStore, unknownSession, withWritableStore } from '../open-store.ts'
import { type ListedSession, missingCosts, sessionTable, withTitle } from '../sessions/session-table.ts'
import { showSession } from '../sessions/show.ts'
import { singleLine, rowTable } from '../table.ts'
import { timeText } from '../time-text.ts'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileFailure, writeNamedFile } from '../input-text.ts'

export const sessionsCommand = commandWithSubcommands({
  name: 'sessions',
  group: 'talk',
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
    list: { usage: '[--search WORDS] [--folder NAME] [--state STATE] [--limit N] [--json]', run: listSessions },
    // TURN is its number, as `search --history` prints it, or its id.
    show: { usage: 'ID [TURN] [--json]', run: showSession },
    // `-` removes the title, so that the session is listed by its first message again, or the folder.
    rename: {
      usage: 'ID TITLE [--json]',
      run: labelSession(([, , title]) => ({ title: title === '-' ? null : title! })),
    },
    pin: { usage: 'ID [--json]', run: labelSession(() => ({ pinned: true })) },
    unpin: { usage: 'ID [--json]', run: labelSession(() => ({ pinned: false })) },
    move: {
      usage: 'ID FOLDER [--json]',
      run: labelSession(([, , folder]) => ({ folder: folder === '-' ? null : folder! })),
    },
    branches: { usage: 'ID [--json]', run: listCommand(fetchBranches, { empty: 'No turns yet.', table: branchTable }) },
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
    await findHomeStore(call.home, io),
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
        const sessions = await requestList<ListedSession>(
          connection,
          `/api/sessions?${new URLSearchParams(page).toString()}`,
          'sessions',
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

type Known = Pick<ListedSession, 'cost' | 'program'>

/** Sessions that are asked about at once. */
const PAGE = 500

function findState(call: CommandCall) {
  const word = call.text('state')
  const state = sessionActivities.find((each) => each === word)
  if (word === undefined || state !== undefined) return state
  throw usageFailure(`--state must be one of ${sessionActivities.join(', ')}, not "${word}".`)
}

/** Through the gateway, so that open pages show it at once. */
function labelSession(labelOf: (words: readonly string[]) => SessionLabel): Command['run'] {
  return changeCommand(
    async (connection, { words }) => {
      const path = apiPath('/api/sessions/', await findSession(connection, words[1]!))
      return await requestJson<SessionRow>(connection, path, { method: 'PATCH', body: labelOf(words) })
    },
    ({ id, title, opening = 'no title', pinned, folder }) => {
      const facts = [pinned ? ['pinned'] : [], folder === undefined ? [] : [`in ${exactLine(folder)}`]].flat()
      return `${[`${id}: ${exactLine(title ?? opening)}`, ...facts].join(', ')}.`
    },
  )
}

/** Deletes through the gateway, because a turn may be running in the session. */
async function deleteSession(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, connectionPurpose(call, io), async (connection) => {
    const id = await findSession(connection, call.words[1]!)
    const { turns, program } = await requestJson<ListedSession>(connection, apiPath('/api/sessions/', id))
    const what = program
      ? `${countedText(program.calls, 'call')} of ${exactLine(program.name)}`
      : countedText(turns, 'turn')
    const question = `Delete session ${id} with ${what} permanently?`
    if (!(await confirmAction(question, 'Nothing was deleted.', call, io))) return 1
    await sendRequest(connection, apiPath('/api/sessions/', id), { method: 'DELETE' })
    return printChange({ deleted: id }, `Deleted session ${id}.`, call, io)
  })
}

async function fetchBranches(connection: GatewayConnection, { words }: CommandCall): Promise<readonly Branch[]> {
  const session = await findSession(connection, words[1]!)
  return await requestList<Branch>(connection, apiPath('/api/sessions/', session, '/branches'), 'branches')
}

function branchTable(branches: readonly Branch[], io: Io): string {
  const now = new Date()
  const rows = branches.map(({ leaf, current, after, time, words, turns }) => ({
    'last turn': `${current ? '* ' : ''}${leaf}`,
    'leaves after': after ?? '',
    time: timeText(time, now),
    turns: String(turns),
    message: safeForTerminal(singleLine(words, 60), io.stdout),
  }))
  return rowTable(rows, io, { right: ['turns'], spare: ['time', 'leaves after'] })
}

async function exportSessionFile(call: CommandCall, io: Io): Promise<number> {
  const word = call.words[1]!
  const { readHomeSecrets } = await import('../../runtime.ts')
  const capabilities = await programCapabilities(io)
  const secrets = await readHomeSecrets({ home: call.home, environment: io.environment, capabilities })
  return await withStore(
    await findHomeStore(call.home, io),
    async (store) => {
      const { id } = await findStoredSession(store, word)
      const [file, lines] = [call.text('output'), await exportLines(store, id, secrets)]
      await (file === undefined ? pipeline(lines, io.stdout, { end: false }) : writeNamedFile(file, lines))
      if (file !== undefined) note(io, `Exported session ${id} to ${file}.`)
      return 0
    },
    () => {
      throw unknownSession(word)
    },
  )
}

async function exportLines(store: SessionStore, id: string, secrets: KnownSecrets): Promise<Readable> {
  const session = await import('../../session.ts')
  return Readable.from(
    (async function* () {
      for await (const line of session.exportSession(store, id, secrets)) yield `${line}\n`
    })(),
  )
}

/** `foreword sessions import`: writes a session in one transaction, so that a running gateway sees all of it at once. */
async function importSessionFile(call: CommandCall, io: Io): Promise<number> {
  const session = await import('../../session.ts')
  const as = call.text('as')
  const file = call.words[1]!
  // An imported turn that has not ended must not resume here.
  const endsTurnsAt = new Date().toISOString()
  const id = await withWritableStore(await findHomeStore(call.home, io), (store) =>
    session
      .importSession(
        store,
        file === '-' ? createInterface({ input: io.stdin, crlfDelay: Infinity }) : fileLines(file),
        { ...defined({ as }), endsTurnsAt },
      )
      .catch((error: unknown) => {
        if (!(error instanceof session.StoreError)) throw error
        const from = file === '-' ? 'standard input' : file
        throw new CommandFailure(error.code, `Cannot import ${from}. ${error.message}`, {
          hint: error.code === 'conflict' ? 'Import it under another id with `--as ID`.' : undefined,
          cause: error,
        })
      }),
  )
  const sentence = `Imported session ${id}. Show it with \`foreword sessions show ${id}\`.`
  return printChange({ imported: id }, sentence, call, io)
}

async function* fileLines(file: string): AsyncGenerator<string> {
  try {
    yield* (await open(file)).readLines()
  } catch (error) {
    throw fileFailure(file, 'read', error)
  }
}
