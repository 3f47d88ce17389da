import { apiPath, requestJson, requestList } from '../answer.ts'
import { exactLine } from '../../context.ts'
import { existsSync } from 'node:fs'
import type { CommandCall, GatewayConnection, Io } from '../../capability.ts'
import type { FileRow } from '../../session.ts'
import { findByName } from '../find-one.ts'
import { note, print, printJson, applyStyle } from '../io.ts'
import { fetchTokenScale, sizedFile } from '../preview.ts'
import { stateText } from '../state-text.ts'
import { type UploadOwner, type UploadResult, uploadFiles } from './hand-in.ts'

/**
 * Uploads files for a message, and finds those that are stored already. Resolves to their ids. An unreadable one goes with a
 * notice; one that cannot be uploaded throws.
 */
export async function attachToMessage(
  connection: GatewayConnection,
  paths: readonly string[],
  session: string | undefined,
  io: Io,
): Promise<readonly string[]> {
  const stored = await Promise.all(paths.map((path) => storedFile(connection, path, session)))
  const given = paths.filter((_, index) => stored[index] === undefined)
  const handedIn = await uploadFiles(connection, given, session === undefined ? {} : { session }, io)
  const rest = handedIn.values()
  const ids: string[] = []
  for (const row of stored) {
    const each = row ? { row } : rest.next().value!
    if ('failure' in each) throw each.failure
    const { id, name, state } = each.row
    ids.push(id)
    if (state.type !== 'failed') continue
    note(io, `Cannot read ${exactLine(name)}: ${exactLine(state.reason)}`, 'yellow')
  }
  return ids
}

/** The file that a word means: its id, its name in any case, or an unambiguous beginning of either. */
export async function findFile(connection: GatewayConnection, word: string): Promise<FileRow> {
  return findByName(word, await requestList<FileRow>(connection, '/api/files', 'files'), (row) => row, 'file')
}

/** Where no path is meant: the file with this id, or the newest of this name that the session or what it has chosen owns. */
async function storedFile(
  connection: GatewayConnection,
  word: string,
  session: string | undefined,
): Promise<FileRow | undefined> {
  if (existsSync(word)) return undefined
  if (/^file[_-]\w+$/.test(word)) return findFile(connection, word)
  if (session === undefined) return undefined
  const [row, files] = await Promise.all([
    requestJson<Readonly<Record<string, unknown>>>(connection, apiPath('/api/sessions/', session)),
    requestList<FileRow>(connection, '/api/files', 'files'),
  ])
  return files.findLast(({ name, owner }) => name === word && (owner.id === session || row[owner.type] === owner.id))
}

/** Attaches files and resolves to their ids with their names as written. */
export async function attachNamed(
  connection: GatewayConnection,
  paths: readonly string[],
  session: string | undefined,
  io: Io,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const ids = await attachToMessage(connection, paths, session, io)
  return ids.map((id, index) => ({ id, name: paths[index]! }))
}

/** Uploads files and prints a line for each. Resolves to the exit code: 1 where one could not be uploaded or read. */
export async function uploadAndPrint(
  connection: GatewayConnection,
  paths: readonly string[],
  belonging: UploadOwner,
  call: CommandCall,
  io: Io,
): Promise<number> {
  const sized = call.json ? undefined : await fetchTokenScale(connection)
  const show = (each: UploadResult) =>
    printResult(sized && 'row' in each ? { ...each, row: sizedFile(each.row, sized) } : each, call, io)
  const done = await uploadFiles(connection, paths, belonging, io, show)
  return done.every((each) => 'row' in each && each.row.state.type === 'ready') ? 0 : 1
}

function printResult(done: UploadResult, call: CommandCall, io: Io): void {
  if ('row' in done) {
    if (call.json) return void printJson(io, done.row)
    const { id, name, state, repeated } = done.row
    const line = `${id}  ${exactLine(name)}  ${stateText(state)}${repeated ? ' (already uploaded)' : ''}`
    return print(io, state.type === 'failed' ? applyStyle(io, 'red', line) : line)
  }
  const { code, message, hint } = done.failure
  if (call.json) printJson(io, { path: done.path, error: { code, message } })
  note(io, exactLine(message), 'red')
  if (hint !== undefined) note(io, `  ${hint}`)
}
