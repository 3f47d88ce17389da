import { exactLine } from '../../context.ts'
import type { CommandCall, GatewayConnection, Io } from '../../capability.ts'
import type { Kept } from '../../runtime.ts'
import { requestJson } from '../answer.ts'
import { withConnection } from '../connection.ts'
import { findByName } from '../find-one.ts'
import { safeForTerminal, lineLimit, note, print, printJson, applyStyle, width } from '../io.ts'
import { fittedTable, singleLine, table } from '../table.ts'
import { fullTimeText } from '../time-text.ts'

/** What the commands on agents and on projects differ in. */
export interface RecordResource {
  readonly name: 'agent' | 'project'
  /** Its long field: what it says to the model. */
  readonly text: 'prompt' | 'instructions'
  /** Fields that the list shows. */
  readonly columns: readonly string[]
}

/** One of them, as the gateway answers it. */
export type KeptRecord = Kept<RecordFields>

/** One that is not removed. */
type LiveRecord = KeptRecord & { readonly value: RecordFields }

interface RecordFields {
  readonly name: string
  readonly [field: string]: unknown
}

export const agentResource: RecordResource = { name: 'agent', text: 'prompt', columns: ['mode', 'model'] }
export const projectResource: RecordResource = { name: 'project', text: 'instructions', columns: [] }

/** One agent or project a line. */
export async function listRecords(kind: RecordResource, call: CommandCall, io: Io): Promise<number> {
  const records = await withConnection(call.home, io, 'read', (connection) => fetchRecords(connection, kind))
  if (call.json) for (const record of records) printJson(io, record)
  else if (records.length === 0)
    note(io, `No ${kind.name}s yet. Create one with \`foreword ${kind.name}s new --name NAME\`.`)
  else print(io, recordTable(kind, records, io))
  return 0
}

function recordTable({ columns, text }: RecordResource, records: readonly LiveRecord[], io: Io): string {
  const rows = records.map(({ id, value }) => [
    id,
    exactLine(value.name),
    ...columns.map((column) => exactLine(fieldText(value[column]))),
    singleLine(exactLine(fieldText(value[text]).replaceAll(/\s+/g, ' ')), Math.max(20, width(io) - 60)),
  ])
  const head = ['id', 'name', ...columns, text]
  const spare = head.map((_, column) => column).slice(2)
  return fittedTable([head, ...rows], { columns: lineLimit(io), spare: spare.toReversed() })
}

/** One agent or project, with everything that it says to the model. */
export async function showRecord(kind: RecordResource, call: CommandCall, io: Io): Promise<number> {
  const record = await withConnection(call.home, io, 'read', (connection) =>
    findRecord(connection, kind, call.words[1]!),
  )
  if (call.json) printJson(io, record)
  else tellRecord(kind, record, io)
  return 0
}

function tellRecord({ text }: RecordResource, { id, version, time, value }: LiveRecord, io: Io): void {
  const { name, [text]: said, ...others } = value
  const fields = Object.entries(others).map(([field, given]) => [field, exactLine(fieldText(given))])
  print(io, applyStyle(io, 'bold', exactLine(name)))
  print(io, table([['id', id], ['version', `${version}, ${fullTimeText(time, new Date())}`], ...fields]))
  const words = fieldText(said).trimEnd()
  if (words !== '') print(io, `\n${safeForTerminal(words, io.stdout)}`)
}

async function fetchRecords(connection: GatewayConnection, { name }: RecordResource): Promise<readonly LiveRecord[]> {
  const answer = await requestJson<Readonly<Record<string, readonly LiveRecord[]>>>(connection, `/api/${name}s`)
  return answer[`${name}s`] ?? []
}

/** The one that a word means: its id, its name in any case, or a beginning that only one of them has. */
export async function findRecord(
  connection: GatewayConnection,
  kind: RecordResource,
  word: string,
): Promise<LiveRecord> {
  const records = await fetchRecords(connection, kind)
  return findByName(word, records, ({ id, value }) => ({ id, name: value.name }), kind.name)
}

/** The id of it. A word that means none is taken for the id of one that was removed. */
export async function findRecordId(connection: GatewayConnection, kind: RecordResource, word: string): Promise<string> {
  const records = await fetchRecords(connection, kind)
  const removed = new RegExp(`^${kind.name}[_-]\\w+$`).test(word) && !records.some(({ id }) => id.startsWith(word))
  return removed ? word : (await findRecord(connection, kind, word)).id
}

/** A field of an agent or a project in words; nothing where it is not set. */
export function fieldText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value)
}
