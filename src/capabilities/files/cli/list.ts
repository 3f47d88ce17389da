import type { FileRow } from '../../../session.ts'
import type { CommandCall, Connection, Io } from '../../../capability.ts'
import {
  agentKind,
  connected,
  exactLine,
  findRecord,
  findSession,
  fittedTable,
  lineLimit,
  note,
  oneLine,
  ownerText,
  print,
  printJson,
  projectKind,
  sizeText,
  stateText,
  timeText,
  width,
} from '../../../cli.ts'
import { fetchFiles } from './find-file.ts'

/** One file a line, in the order in which they were handed in. */
export async function listFiles(call: CommandCall, io: Io): Promise<number> {
  const files = await connected(call.home, io, 'read', async (connection) => {
    const owner = await ownerNamed(connection, call)
    return await fetchFiles(connection, owner === undefined ? '' : `?owner=${encodeURIComponent(owner)}`)
  })
  if (call.json) for (const row of files) printJson(io, row)
  else if (files.length === 0) note(io, 'There are no files. `foreword files add PATH` hands one in.')
  else print(io, fileTable(files, io))
  return 0
}

async function ownerNamed(connection: Connection, call: CommandCall): Promise<string | undefined> {
  const [project, agent, session] = [call.text('project'), call.text('agent'), call.text('session')]
  if (project !== undefined) return `project/${(await findRecord(connection, projectKind, project)).id}`
  if (agent !== undefined) return `agent/${(await findRecord(connection, agentKind, agent)).id}`
  return session === undefined ? undefined : `session/${await findSession(connection, session)}`
}

function fileTable(files: readonly FileRow[], io: Io): string {
  const now = new Date()
  const rows = files.map(({ id, name, bytes, time, owner, state }) => [
    id,
    oneLine(exactLine(name), 40),
    sizeText(bytes),
    timeText(time, now),
    ownerText(owner),
    oneLine(stateText(state), Math.max(30, width(io) - 120)),
  ])
  const head = ['id', 'name', 'size', 'handed in', 'of', 'state']
  return fittedTable([head, ...rows], { right: [2], columns: lineLimit(io), spare: [3, 4, 2] })
}
