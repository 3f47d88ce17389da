import {
  uploadAndPrint,
  sendRequest,
  requestJson,
  type UploadOwner,
  withConnection,
  findFile,
  findRecord,
  findSession,
  fittedTable,
  fullTimeText,
  safeForTerminal,
  jsonOption,
  lineLimit,
  note,
  singleLine,
  ownerText,
  apiPath,
  confirmAction,
  print,
  printJson,
  printList,
  connectionPurpose,
  commandWithSubcommands,
  sizeText,
  stateText,
  applyStyle,
  table,
  timeText,
  usageFailure,
  width,
} from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import type { CommandCall, GatewayConnection, Io } from '../../../capability.ts'
import type { FileRow } from '../../../session.ts'

const forPersons = 'change which files are read'

export const filesCommand = commandWithSubcommands({
  name: 'files',
  summary: 'add, list, read and remove files',
  details:
    'Foreword stores a file, extracts its text, counts its tokens and adds it to the search index. `add` waits until ' +
    'each file is read and prints the result; the exit code is 1 if a file cannot be read. Interrupted files resume at ' +
    'the next start. Without a project, an agent or a session, a file waits for a message: `foreword send --file PATH` ' +
    'does both. ID is an id, a name, or an unambiguous beginning of either.',
  options: {
    project: { value: 'ID', summary: 'files of this project (its id or name)' },
    agent: { value: 'ID', summary: 'files of this agent (its id or name)' },
    session: { value: 'ID', summary: 'files of this session' },
    yes: { summary: 'remove without asking' },
    json: { ...jsonOption, summary: 'print JSON, one file per line' },
  },
  first: 'list',
  subcommands: {
    list: { usage: '[--project ID | --agent ID | --session ID] [--json]', run: listFiles },
    add: { usage: 'PATH… [--project ID | --agent ID | --session ID] [--json]', forPersons, run: addFiles },
    show: { usage: 'ID [--json]', run: showFile },
    text: { usage: 'ID', run: showText },
    remove: { usage: 'ID [--yes]', forPersons, run: removeFile },
  },
})

async function addFiles(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, 'write', async (connection) =>
    uploadAndPrint(connection, call.words.slice(1), await namedOwner(connection, call), call, io),
  )
}

async function namedOwner(connection: GatewayConnection, call: CommandCall): Promise<UploadOwner> {
  const [project, agent, session] = [call.text('project'), call.text('agent'), call.text('session')]
  if ([project, agent, session].filter((each) => each !== undefined).length > 1) {
    throw usageFailure('A file has one owner.', 'Name a project, an agent or a session.')
  }
  if (project !== undefined) return { project: (await findRecord(connection, 'project', project)).id }
  if (agent !== undefined) return { agent: (await findRecord(connection, 'agent', agent)).id }
  return session === undefined ? {} : { session: await findSession(connection, session) }
}

async function listFiles(call: CommandCall, io: Io): Promise<number> {
  const files = await withConnection(call.home, io, 'read', async (connection) => {
    const [owner] = Object.entries(await namedOwner(connection, call))
    return await fetchFiles(connection, owner === undefined ? '' : `?owner=${encodeURIComponent(owner.join('/'))}`)
  })
  const empty = 'No files yet. Add one with `foreword files add PATH`.'
  return printList(files, { empty, table: fileTable }, call, io)
}

function fileTable(files: readonly FileRow[], io: Io): string {
  const now = new Date()
  const rows = files.map(({ id, name, bytes, time, owner, state }) => [
    id,
    singleLine(exactLine(name), 40),
    sizeText(bytes),
    timeText(time, now),
    ownerText(owner),
    singleLine(stateText(state), Math.max(30, width(io) - 120)),
  ])
  const head = ['id', 'name', 'size', 'added', 'owner', 'state']
  return fittedTable([head, ...rows], { right: [2], columns: lineLimit(io), spare: [3, 4, 2] })
}

/** Asks for confirmation unless `--yes` is given. */
async function removeFile(call: CommandCall, io: Io): Promise<number> {
  const removed = await withConnection(call.home, io, connectionPurpose(call, io), async (connection) => {
    const found = await findFile(connection, call.words[1]!)
    if (!(await confirmAction(`Remove ${exactLine(found.name)} (${found.id}) for good?`, call, io))) return undefined
    await sendRequest(connection, apiPath('/api/files/', found.id), { method: 'DELETE' })
    return found
  })
  if (removed === undefined) {
    note(io, 'Nothing was removed.')
    return 1
  }
  const { id, name } = removed
  if (call.json) printJson(io, { removed: id })
  else note(io, `Removed ${exactLine(name)} (${id}). Messages that contain it stay as they are.`)
  return 0
}

async function fetchFiles(connection: GatewayConnection, query = ''): Promise<readonly FileRow[]> {
  return (await requestJson<{ files: readonly FileRow[] }>(connection, `/api/files${query}`)).files
}

async function showFile(call: CommandCall, io: Io): Promise<number> {
  const row = await withConnection(call.home, io, 'read', (connection) => findFile(connection, call.words[1]!))
  if (call.json) printJson(io, row)
  else printFile(row, io)
  return 0
}

async function showText(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, 'read', async (connection) => {
    const { id } = await findFile(connection, call.words[1]!)
    let last = '\n'
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const path = apiPath('/api/files/', id, `/text?limit=200000&offset=${offset}`)
      const page: TextPage = await requestJson<TextPage>(connection, path)
      if (call.json) printJson(io, page)
      else io.stdout.write(safeForTerminal(page.text, io.stdout))
      last = page.text
      offset = page.next
    }
    if (!call.json && !last.endsWith('\n')) io.stdout.write('\n')
    return 0
  })
}

interface TextPage {
  readonly text: string
  readonly next?: number
}

function printFile({ id, name, time, owner, bytes, hash, state }: FileRow, io: Io): void {
  const pages = state.type === 'ready' && state.reading.kind === 'text' ? state.reading.pages?.length : undefined
  print(io, applyStyle(io, 'bold', exactLine(name)))
  print(
    io,
    table([
      ['id', id],
      ['owner', ownerText(owner)],
      ['added', fullTimeText(time, new Date())],
      ['size', sizeText(bytes)],
      ['sha256', hash],
      ...(pages === undefined ? [] : [['pages', String(pages)]]),
      ['state', stateText(state)],
    ]),
  )
}
