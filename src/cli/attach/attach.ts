import { exactLine } from '../../context.ts'
import { existsSync } from 'node:fs'
import type { CommandCall, Connection, Io } from '../../capability.ts'
import type { FileRow } from '../../session.ts'
import { ask } from '../answer.ts'
import { theOneNamed } from '../find-one.ts'
import { note, print, printJson, styled } from '../io.ts'
import { stateText } from '../state-text.ts'
import { type Belonging, type UploadResult, uploadFiles } from './hand-in.ts'

/**
 * Hands in files for a message and answers their ids; an id of a file that was handed in before is taken as it is. A file that cannot be read goes along as a notice, and the person is
 * told; one that cannot be handed in is a failure: the message would be about something else than was meant.
 */
export async function attachToMessage(
  connection: Connection,
  paths: readonly string[],
  session: string | undefined,
  io: Io,
): Promise<readonly string[]> {
  const known = paths.map(isId)
  const given = paths.filter((_, index) => !known[index])
  const handedIn = await uploadFiles(connection, given, session === undefined ? {} : { session }, io)
  const rest = handedIn.values()
  const ids: string[] = []
  for (const [index, path] of paths.entries()) {
    const each = known[index] ? { row: await findFile(connection, path) } : rest.next().value!
    if ('failure' in each) throw each.failure
    const { id, name, state } = each.row
    ids.push(id)
    if (state.type !== 'failed') continue
    note(io, styled(io, 'yellow', `${exactLine(name)} cannot be read: ${exactLine(state.reason)}`, io.stderr))
  }
  return ids
}

/** The file that a word means: its id, its name in any case, or a beginning that only one of them has. */
export async function findFile(connection: Connection, word: string): Promise<FileRow> {
  const { files } = await ask<{ readonly files: readonly FileRow[] }>(connection, '/api/files')
  return theOneNamed(word, files, (row) => row, 'file')
}

/** As `foreword files add` prints it. A file of that name in the folder goes before. */
function isId(word: string): boolean {
  return /^file[_-]\w+$/.test(word) && !existsSync(word)
}

/** The same with the name of each, as it was written. */
export async function attachNamed(
  connection: Connection,
  paths: readonly string[],
  session: string | undefined,
  io: Io,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const ids = await attachToMessage(connection, paths, session, io)
  return ids.map((id, index) => ({ id, name: paths[index]! }))
}

/** Hands files in and prints a line for each. Answers the exit code: 1 where one could not be handed in or read. */
export async function addFilesTo(
  connection: Connection,
  paths: readonly string[],
  belonging: Belonging,
  call: CommandCall,
  io: Io,
): Promise<number> {
  const done = await uploadFiles(connection, paths, belonging, io, (each) => tell(each, call, io))
  return done.every((each) => 'row' in each && each.row.state.type === 'ready') ? 0 : 1
}

function tell(done: UploadResult, call: CommandCall, io: Io): void {
  if ('row' in done) {
    if (call.json) return printJson(io, done.row)
    const { id, name, state, repeated } = done.row
    const line = `${id}  ${exactLine(name)}  ${stateText(state)}${repeated ? ' (it was there already)' : ''}`
    return print(io, state.type === 'failed' ? styled(io, 'red', line) : line)
  }
  const { code, message, hint } = done.failure
  if (call.json) printJson(io, { path: done.path, error: { code, message } })
  note(io, styled(io, 'red', exactLine(message), io.stderr))
  if (hint !== undefined) note(io, `  ${hint}`)
}
