import { exactLine } from '../context.ts'
import type { CommandCall, GatewayConnection, Io } from '../capability.ts'
import { defined } from '../platform.ts'
import type { StoredRecord } from '../runtime.ts'
import { apiPath, requestJson, requestList, sendRequest } from './answer.ts'
import { answerCommand, listCommand } from './gateway-commands.ts'
import { withConnection } from './connection.ts'
import { usageFailure } from './failure.ts'
import { findByName } from './find-one.ts'
import { findSession } from './find-session.ts'
import { readNamedFile } from './input-text.ts'
import { print, printChange, safeForTerminal, width, note } from './io.ts'
import type { Subcommand } from './subcommand.ts'
import { rowTable, singleLine, table } from './table.ts'
import { fullTimeText, timeText } from './time-text.ts'

/** A kind of record with versions, such as an agent. The API has it at `/api/NAMEs`, and a session chooses it by its name. */
export interface RecordCommands {
  readonly name: string
  /** The field with its long text. The options `--FIELD TEXT` and `--FIELD-file PATH` set it. */
  readonly text: string
  /** Further fields that the list shows. */
  readonly columns?: readonly string[]
  /** What the options of a call give to fields other than the name and the long text; `null` removes a field. */
  readonly fields?: (call: CommandCall) => Readonly<Record<string, unknown>>
  readonly usage: { readonly new: string; readonly edit: string }
}

type KeptRecord = StoredRecord<RecordFields>

type LiveRecord = KeptRecord & { readonly value: RecordFields }

type WrittenRecord = KeptRecord & { readonly warnings?: readonly string[] }

interface RecordFields {
  readonly name: string
  readonly [field: string]: unknown
}

/** The option of the kinds of records that the owner can share with other people. */
export const sharedWithOption = {
  value: 'A,B',
  summary: 'the people who have it too, to read: names, group:NAME, `*` for everybody; empty: nobody',
  mayBeEmpty: true,
} as const

/** The subcommands list, show, new, edit, delete, versions, restore and use of a kind of record. */
export function recordSubcommands(kind: RecordCommands): Readonly<Record<string, Subcommand>> {
  const { name: noun, usage } = kind
  const forPersons = `change ${noun}s`
  const route = `/api/${noun}s`
  const find = (connection: GatewayConnection, { words }: CommandCall) => findRecord(connection, noun, words[1]!)
  return {
    list: {
      usage: '[--json]',
      run: listCommand((connection) => fetchRecords(connection, noun), {
        empty: `No ${noun}s yet. Create one with \`foreword ${noun}s new NAME\`.`,
        table: (records, io) => recordTable(kind, records, io),
      }),
    },
    show: { usage: 'ID [--json]', run: answerCommand(find, (record, io) => printRecord(kind, record, io)) },
    new: { usage: `(NAME | --name NAME) ${usage.new}`, forPersons, run: (call, io) => newRecord(kind, call, io) },
    edit: { usage: `ID ${usage.edit}`, forPersons, run: (call, io) => editRecord(kind, call, io) },
    delete: { usage: 'ID [--yes]', forPersons, run: (call, io) => deleteRecord(kind, call, io) },
    versions: {
      usage: 'ID [--json]',
      run: listCommand(
        async (connection, { words }) => {
          const id = await findRecordId(connection, noun, words[1]!)
          return await requestList<KeptRecord>(connection, apiPath(`${route}/`, id, '/versions'), 'versions')
        },
        { empty: `No versions of this ${noun}.`, table: (all, io) => versionTable(kind, all, io) },
      ),
    },
    restore: { usage: 'ID VERSION', forPersons, run: (call, io) => restoreVersion(kind, call, io) },
    use: { usage: '[ID] --session SESSION', forPersons, run: (call, io) => useRecord(kind, call, io) },
  }
}

function fetchRecords(connection: GatewayConnection, kind: string): Promise<readonly LiveRecord[]> {
  return requestList(connection, `/api/${kind}s`, `${kind}s`)
}

function recordTable({ columns = [], text }: RecordCommands, records: readonly LiveRecord[], io: Io): string {
  const rows = records.map(({ id, value }): Readonly<Record<string, string>> => ({
    id,
    name: exactLine(value.name),
    ...Object.fromEntries(columns.map((column) => [column, exactLine(fieldText(value[column]))])),
    [text]: textCell(value[text], io),
  }))
  return rowTable(rows, io, { spare: [...columns, text].toReversed() })
}

/** A field in words; empty where it is not set. */
function fieldText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value)
}

function textCell(value: unknown, io: Io): string {
  return singleLine(exactLine(fieldText(value).replaceAll(/\s+/g, ' ')), Math.max(20, width(io) - 60))
}

function printRecord(kind: RecordCommands, { id, version, time, value }: LiveRecord, io: Io): void {
  const { name, [kind.text]: longText, ...others } = value
  const fields = Object.entries(others).map(([field, given]) => [field, exactLine(fieldText(given))])
  print(io, exactLine(name), 'bold')
  print(io, table([['id', id], ['version', `${version}, ${fullTimeText(time, new Date())}`], ...fields]))
  const text = fieldText(longText).trimEnd()
  if (text !== '') print(io, `\n${safeForTerminal(text, io.stdout)}`)
}

/** The record that a word means: its id, its name in any case, or a beginning of either. Throws where it means none or several. */
export async function findRecord(connection: GatewayConnection, kind: string, word: string): Promise<LiveRecord> {
  const records = await fetchRecords(connection, kind)
  return findByName(word, records, ({ id, value }) => ({ id, name: value.name }), kind)
}

/** The id that a word means. A word that looks like the id of a deleted record is returned unchanged. */
async function findRecordId(connection: GatewayConnection, kind: string, word: string): Promise<string> {
  const records = await fetchRecords(connection, kind)
  const deleted = new RegExp(`^${kind}[_-]\\w+$`).test(word) && !records.some(({ id }) => id.startsWith(word))
  return deleted ? word : (await findRecord(connection, kind, word)).id
}

async function newRecord(kind: RecordCommands, call: CommandCall, io: Io): Promise<number> {
  const [, name] = call.words
  if (name !== undefined && call.has('name')) {
    throw usageFailure('The name is there twice.', `Write \`foreword ${kind.name}s new NAME\` without --name.`)
  }
  const body: Readonly<Record<string, unknown>> = { ...defined({ name }), ...(await readFields(kind, call, io)) }
  if (body['name'] === undefined) {
    throw usageFailure(`The ${kind.name} needs a name.`, `Write \`foreword ${kind.name}s new NAME\`.`)
  }
  const made = await withConnection(call.home, io, 'write', (connection) =>
    requestJson<WrittenRecord>(connection, `/api/${kind.name}s`, { method: 'POST', body }),
  )
  printChange(made, `Created ${exactLine(made.value!.name)} (${made.id}).`, call, io)
  return noteWarnings(made, io)
}

async function readFields(kind: RecordCommands, call: CommandCall, io: Io): Promise<Readonly<Record<string, unknown>>> {
  const { text: field, fields } = kind
  const [text, file] = [call.text(field), call.text(`${field}-file`)]
  if (file !== undefined && text !== undefined) {
    throw usageFailure(
      `--${field} and --${field}-file cannot be used together.`,
      `Write \`--${field} TEXT\` or \`--${field}-file PATH\`.`,
    )
  }
  return {
    ...defined({ name: call.text('name'), [field]: file === undefined ? text : await readNamedFile(file, io) }),
    ...defined({ sharedWith: readSharedWith(call) }),
    ...fields?.(call),
  }
}

/** `null`: nobody any more. */
function readSharedWith(call: CommandCall): readonly string[] | null | undefined {
  const names = call
    .text('shared-with')
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return names?.length === 0 ? null : names
}

function noteWarnings({ warnings = [] }: WrittenRecord, io: Io): number {
  for (const warning of warnings) note(io, exactLine(warning), 'yellow')
  return 0
}

/** Names the version that the change is based on, so that a concurrent change is refused instead of lost. */
async function editRecord(kind: RecordCommands, call: CommandCall, io: Io): Promise<number> {
  const changes = await readFields(kind, call, io)
  if (Object.keys(changes).length === 0) {
    throw usageFailure('No change was given.', `List the options with \`foreword ${kind.name}s --help\`.`)
  }
  const changed = await withConnection(call.home, io, 'write', async (connection) => {
    const { id, version } = await findRecord(connection, kind.name, call.words[1]!)
    const body = { ...changes, after: version }
    return await requestJson<WrittenRecord>(connection, apiPath(`/api/${kind.name}s/`, id), { method: 'PATCH', body })
  })
  printChange(changed, `Changed ${exactLine(changed.value!.name)} (version ${changed.version}).`, call, io)
  return noteWarnings(changed, io)
}

async function deleteRecord(kind: RecordCommands, call: CommandCall, io: Io): Promise<number> {
  const { id, version, value } = await withConnection(call.home, io, 'write', async (connection) => {
    const found = await findRecord(connection, kind.name, call.words[1]!)
    await sendRequest(connection, apiPath(`/api/${kind.name}s/`, found.id), { method: 'DELETE' })
    return found
  })
  const undo = `Undo with \`foreword ${kind.name}s restore ${id} ${version}\`.`
  return printChange({ deleted: id }, `Deleted ${exactLine(value.name)}. ${undo}`, call, io)
}

function versionTable({ text }: RecordCommands, versions: readonly KeptRecord[], io: Io): string {
  const now = new Date()
  const rows = versions.map(({ version, time, value }) => [
    String(version),
    timeText(time, now),
    value === undefined ? '(deleted)' : exactLine(value.name),
    textCell(value?.[text], io),
  ])
  return table([['version', 'time', 'name', text], ...rows], [0])
}

/** Makes an earlier version the newest one. A deleted record is named by its id. */
async function restoreVersion(kind: RecordCommands, call: CommandCall, io: Io): Promise<number> {
  const version = parseVersion(call.words[2]!)
  const restored = await withConnection(call.home, io, 'write', async (connection) => {
    const id = await findRecordId(connection, kind.name, call.words[1]!)
    const path = apiPath(`/api/${kind.name}s/`, id, '/restore')
    return await requestJson<KeptRecord>(connection, path, { method: 'POST', body: { version } })
  })
  const name = exactLine(restored.value!.name)
  return printChange(restored, `Restored version ${version} of ${name} as version ${restored.version}.`, call, io)
}

/** The number of a version, from 1. Throws a usage failure for any other word. */
export function parseVersion(word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word)
  throw usageFailure(`"${word}" is not a version number.`, 'Write a whole number above 0. List them with `versions`.')
}

/** Sets the record that a session uses; without a word, removes it. */
async function useRecord(kind: RecordCommands, call: CommandCall, io: Io): Promise<number> {
  const named = call.text('session')
  const [, word] = call.words
  if (named === undefined) {
    throw usageFailure('--session is missing.', `Write \`foreword ${kind.name}s use ID --session SESSION\`.`)
  }
  const { session, used } = await withConnection(call.home, io, 'write', async (connection) => {
    const id = await findSession(connection, named)
    const record = word === undefined ? undefined : await findRecord(connection, kind.name, word)
    const body = { [kind.name]: record?.id ?? null }
    await requestJson(connection, apiPath('/api/sessions/', id), { method: 'PATCH', body })
    return { session: id, used: record }
  })
  const change =
    used === undefined
      ? `Removed the ${kind.name} from session ${session}.`
      : `Set the ${kind.name} of session ${session} to ${exactLine(used.value.name)}.`
  const facts = { session, [kind.name]: used?.id ?? null }
  return printChange(facts, `${change} It takes effect at the next turn.`, call, io)
}
