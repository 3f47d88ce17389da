import {
  uploadAndPrint,
  sendRequest,
  requestJson,
  type UploadOwner,
  withConnection,
  findFile,
  findRecord,
  fetchTokenScale,
  findSession,
  fullTimeText,
  safeForTerminal,
  jsonOption,
  singleLine,
  ownerText,
  apiPath,
  confirmAction,
  print,
  printJson,
  connectionPurpose,
  commandWithSubcommands,
  sizedFile,
  sizeText,
  stateText,
  table,
  timeText,
  usageFailure,
  width,
  requestList,
  printChange,
  rowTable,
  answerCommand,
  listCommand,
} from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import type { CommandCall, GatewayConnection, Io } from '../../../capability.ts'
import type { FileRow } from '../../../session.ts'

const forPersons = 'change which files are read'

export const filesCommand = commandWithSubcommands({
  name: 'files',
  group: 'keep',
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
    list: {
      usage: '[--project ID | --agent ID | --session ID] [--json]',
      run: listCommand(fetchFiles, {
        empty: 'No files yet. Add one with `foreword files add PATH`.',
        table: fileTable,
      }),
    },
    add: { usage: 'PATH… [--project ID | --agent ID | --session ID] [--json]', forPersons, run: addFiles },
    show: { usage: 'ID [--json]', run: answerCommand(findSizedFile, printFile) },
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

async function fetchFiles(connection: GatewayConnection, call: CommandCall): Promise<readonly FileRow[]> {
  const [owner] = Object.entries(await namedOwner(connection, call))
  const query = owner === undefined ? '' : `?owner=${encodeURIComponent(owner.join('/'))}`
  const files = await requestList<FileRow>(connection, `/api/files${query}`, 'files')
  if (call.json || files.length === 0) return files
  const sized = await fetchTokenScale(connection)
  return files.map((row) => sizedFile(row, sized))
}

async function findSizedFile(connection: GatewayConnection, call: CommandCall): Promise<FileRow> {
  const row = await findNamedFile(connection, call)
  return call.json ? row : sizedFile(row, await fetchTokenScale(connection))
}

function findNamedFile(connection: GatewayConnection, { words }: CommandCall): Promise<FileRow> {
  return findFile(connection, words[1]!)
}

function fileTable(files: readonly FileRow[], io: Io): string {
  const now = new Date()
  const rows = files.map(({ id, name, bytes, time, owner, state }) => ({
    id,
    name: singleLine(exactLine(name), 40),
    size: sizeText(bytes),
    added: timeText(time, now),
    owner: ownerText(owner),
    state: singleLine(stateText(state), Math.max(30, width(io) - 120)),
  }))
  return rowTable(rows, io, { right: ['size'], spare: ['added', 'owner', 'size'] })
}

/** Asks for confirmation unless `--yes` is given. */
async function removeFile(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, connectionPurpose(call, io), async (connection) => {
    const { id, name } = await findNamedFile(connection, call)
    const shown = `${exactLine(name)} (${id})`
    if (!(await confirmAction(`Remove ${shown} for good?`, 'Nothing was removed.', call, io))) return 1
    await sendRequest(connection, apiPath('/api/files/', id), { method: 'DELETE' })
    return printChange({ removed: id }, `Removed ${shown}. Messages that contain it stay as they are.`, call, io)
  })
}

async function showText(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, 'read', async (connection) => {
    const { id } = await findNamedFile(connection, call)
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
  print(io, exactLine(name), 'bold')
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
