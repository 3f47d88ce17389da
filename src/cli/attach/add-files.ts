import type { CommandCall, Connection, Io } from '../../capability.ts'
import { exactLine } from '../exact-text.ts'
import { note, print, printJson } from '../io.ts'
import { stateText } from '../state-text.ts'
import { styled } from '../style.ts'
import { type HandedIn, handIn } from './hand-in.ts'
import type { Belonging } from './send-file.ts'

/** Hands files in and prints a line for each. Answers the exit code: 1 where one could not be handed in or read. */
export async function addFilesTo(
  connection: Connection,
  paths: readonly string[],
  belonging: Belonging,
  call: CommandCall,
  io: Io,
): Promise<number> {
  const done = await handIn(connection, paths, belonging, io, (each) => tell(each, call, io))
  return done.every((each) => 'row' in each && each.row.state.type === 'ready') ? 0 : 1
}

function tell(done: HandedIn, call: CommandCall, io: Io): void {
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
