import { defined } from '../../platform.ts'
import { answer, ask, pathTo } from '../answer.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { usageFailure } from '../failure.ts'
import { note, printJson } from '../io.ts'
import { styled } from '../style.ts'
import { findRecord } from './find-record.ts'
import type { KeptRecord, RecordKind } from './record-kind.ts'

/** What the options say of the fields; `null` takes one away. */
export type FieldsOf = (call: CommandCall, io: Io) => Promise<Readonly<Record<string, unknown>>>

/** Makes an agent or a project. Its name is an option, or the word behind `new`. */
export async function newRecord(kind: RecordKind, fieldsOf: FieldsOf, call: CommandCall, io: Io): Promise<number> {
  const [, name] = call.words
  const given = await fieldsOf(call, io)
  const body = Object.fromEntries(Object.entries({ ...defined({ name }), ...given }))
  if (body['name'] === undefined) {
    throw usageFailure(`${article(kind)} needs a name.`, `Write \`foreword ${kind.name}s new --name NAME\`.`)
  }
  const made = await connected(call.home, io, 'write', (connection) =>
    ask<WrittenRecord>(connection, `/api/${kind.name}s`, { method: 'POST', body }),
  )
  if (call.json) printJson(io, made)
  else note(io, `${exactLine(made.value!.name)} is there, as ${made.id}.`)
  tellWarnings(made, io)
  return 0
}

/** Changes the fields that are named. Somebody else's change in between is not lost. */
export async function editRecord(kind: RecordKind, fieldsOf: FieldsOf, call: CommandCall, io: Io): Promise<number> {
  const changes = await fieldsOf(call, io)
  if (Object.keys(changes).length === 0) {
    throw usageFailure('Nothing is to be changed.', `\`foreword ${kind.name}s --help\` lists what can be.`)
  }
  const changed = await connected(call.home, io, 'write', async (connection) => {
    const { id, version } = await findRecord(connection, kind, call.words[1]!)
    const body = { ...changes, after: version }
    return await ask<WrittenRecord>(connection, pathTo(`/api/${kind.name}s/`, id), { method: 'PATCH', body })
  })
  if (call.json) printJson(io, changed)
  else note(io, `${exactLine(changed.value!.name)} is changed: version ${changed.version}.`)
  tellWarnings(changed, io)
  return 0
}

/** Removes an agent or a project; its versions stay. */
export async function deleteRecord(kind: RecordKind, call: CommandCall, io: Io): Promise<number> {
  const { id, version, value } = await connected(call.home, io, 'write', async (connection) => {
    const found = await findRecord(connection, kind, call.words[1]!)
    await answer(connection, pathTo(`/api/${kind.name}s/`, found.id), { method: 'DELETE' })
    return found
  })
  if (call.json) printJson(io, { deleted: id })
  else {
    note(io, `${exactLine(value.name)} is removed. \`foreword ${kind.name}s restore ${id} ${version}\` brings it back.`)
  }
  return 0
}

/** One that was just made or changed. */
type WrittenRecord = KeptRecord & { readonly warnings?: readonly string[] }

function tellWarnings({ warnings = [] }: WrittenRecord, io: Io): void {
  for (const warning of warnings) note(io, styled(io, 'yellow', exactLine(warning), io.stderr))
}

function article({ name }: RecordKind): string {
  return name === 'agent' ? 'An agent' : 'A project'
}
