import { exactLine } from '../../context.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { sendRequest, requestJson, apiPath } from '../answer.ts'
import { withConnection } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { findSession } from '../find-session.ts'
import { note, print, printJson, applyStyle, width } from '../io.ts'
import { singleLine, table } from '../table.ts'
import { timeText } from '../time-text.ts'
import { fieldText, findRecord, findRecordId, type KeptRecord, type RecordResource } from './record.ts'

/** What the options say of the fields; `null` takes one away. */
type FieldsOf = (call: CommandCall, io: Io) => Promise<Readonly<Record<string, unknown>>>

/** Makes an agent or a project. Its name is an option, or the word behind `new`. */
export async function newRecord(kind: RecordResource, fieldsOf: FieldsOf, call: CommandCall, io: Io): Promise<number> {
  const [, name] = call.words
  const given = await fieldsOf(call, io)
  const body = Object.fromEntries(Object.entries({ ...defined({ name }), ...given }))
  if (body['name'] === undefined) {
    throw usageFailure(`${article(kind)} needs a name.`, `Write \`foreword ${kind.name}s new --name NAME\`.`)
  }
  const made = await withConnection(call.home, io, 'write', (connection) =>
    requestJson<WrittenRecord>(connection, `/api/${kind.name}s`, { method: 'POST', body }),
  )
  if (call.json) printJson(io, made)
  else note(io, `Created ${exactLine(made.value!.name)} (${made.id}).`)
  tellWarnings(made, io)
  return 0
}

/** Changes the fields that are named. Somebody else's change in between is not lost. */
export async function editRecord(kind: RecordResource, fieldsOf: FieldsOf, call: CommandCall, io: Io): Promise<number> {
  const changes = await fieldsOf(call, io)
  if (Object.keys(changes).length === 0) {
    throw usageFailure('Nothing is to be changed.', `\`foreword ${kind.name}s --help\` lists what can be.`)
  }
  const changed = await withConnection(call.home, io, 'write', async (connection) => {
    const { id, version } = await findRecord(connection, kind, call.words[1]!)
    const body = { ...changes, after: version }
    return await requestJson<WrittenRecord>(connection, apiPath(`/api/${kind.name}s/`, id), { method: 'PATCH', body })
  })
  if (call.json) printJson(io, changed)
  else note(io, `${exactLine(changed.value!.name)} is changed: version ${changed.version}.`)
  tellWarnings(changed, io)
  return 0
}

/** Removes an agent or a project; its versions stay. */
export async function deleteRecord(kind: RecordResource, call: CommandCall, io: Io): Promise<number> {
  const { id, version, value } = await withConnection(call.home, io, 'write', async (connection) => {
    const found = await findRecord(connection, kind, call.words[1]!)
    await sendRequest(connection, apiPath(`/api/${kind.name}s/`, found.id), { method: 'DELETE' })
    return found
  })
  if (call.json) printJson(io, { deleted: id })
  else {
    note(io, `Removed ${exactLine(value.name)}. Restore it with \`foreword ${kind.name}s restore ${id} ${version}\`.`)
  }
  return 0
}

/** One that was just made or changed. */
type WrittenRecord = KeptRecord & { readonly warnings?: readonly string[] }

function tellWarnings({ warnings = [] }: WrittenRecord, io: Io): void {
  for (const warning of warnings) note(io, applyStyle(io, 'yellow', exactLine(warning), io.stderr))
}

function article({ name }: RecordResource): string {
  return name === 'agent' ? 'An agent' : 'A project'
}

/** Gives a session an agent or a project from its next turn on; without a word it takes it from the session. */
export async function useRecord(kind: RecordResource, call: CommandCall, io: Io): Promise<number> {
  const named = call.text('session')
  const [, word] = call.words
  if (named === undefined) {
    throw usageFailure('A session has to be named.', `Write \`foreword ${kind.name}s use ID --session SESSION\`.`)
  }
  const { session, found } = await withConnection(call.home, io, 'write', async (connection) => {
    const id = await findSession(connection, named)
    const record = word === undefined ? undefined : await findRecord(connection, kind, word)
    const body = { [kind.name]: record?.id ?? null }
    await requestJson(connection, apiPath('/api/sessions/', id), { method: 'PATCH', body })
    return { session: id, found: record }
  })
  if (call.json) printJson(io, { session, [kind.name]: found?.id ?? null })
  else
    note(
      io,
      `Set the ${kind.name} of ${session} to ${usedText(kind, found && exactLine(found.value.name))}. It takes effect at the next turn.`,
    )
  return 0
}

function usedText({ name }: RecordResource, used: string | undefined): string {
  return used ?? (name === 'agent' ? 'the default agent' : 'none')
}

/** Every version, newest first. */
export async function listVersions(kind: RecordResource, call: CommandCall, io: Io): Promise<number> {
  const { versions } = await withConnection(call.home, io, 'read', async (connection) => {
    const id = await findRecordId(connection, kind, call.words[1]!)
    return await requestJson<{ versions: readonly KeptRecord[] }>(
      connection,
      apiPath(`/api/${kind.name}s/`, id, '/versions'),
    )
  })
  if (call.json) for (const version of versions) printJson(io, version)
  else print(io, versionTable(kind, versions, io))
  return 0
}

/** Makes an earlier version the newest, also of what was removed: then its id has to be named. */
export async function restoreVersion(kind: RecordResource, call: CommandCall, io: Io): Promise<number> {
  const version = parseVersion(call.words[2]!)
  const restored = await withConnection(call.home, io, 'write', async (connection) => {
    const id = await findRecordId(connection, kind, call.words[1]!)
    const path = apiPath(`/api/${kind.name}s/`, id, '/restore')
    return await requestJson<KeptRecord>(connection, path, { method: 'POST', body: { version } })
  })
  if (call.json) printJson(io, restored)
  else
    note(io, `Version ${version} of ${exactLine(restored.value!.name)} counts again, as version ${restored.version}.`)
  return 0
}

/** Throws a usage failure for what is no version. */
export function parseVersion(word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word)
  throw usageFailure(`${word} is no version.`, 'A version is a number, from 1 on; `versions` lists them.')
}

function versionTable({ text }: RecordResource, versions: readonly KeptRecord[], io: Io): string {
  const now = new Date()
  const rows = versions.map(({ version, time, value }) => [
    String(version),
    timeText(time, now),
    value === undefined ? '(removed)' : exactLine(value.name),
    singleLine(exactLine(fieldText(value?.[text]).replaceAll(/\s+/g, ' ')), Math.max(20, width(io) - 60)),
  ])
  return table([['version', 'time', 'name', text], ...rows], [0])
}
