import { answer, pathTo } from '../answer.ts'
import type { CommandCall } from '../command.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { type Io, note, printJson } from '../io.ts'
import { findFile } from './find-file.ts'

/** Removes a file, its text and its place in the index. */
export async function removeFile(call: CommandCall, io: Io): Promise<number> {
  const { id, name } = await connected(call.home, io, 'write', async (connection) => {
    const found = await findFile(connection, call.words[1]!)
    await answer(connection, pathTo('/api/files/', found.id), { method: 'DELETE' })
    return found
  })
  if (call.json) printJson(io, { removed: id })
  else note(io, `${exactLine(name)} (${id}) is removed. Messages that it came with keep what they held.`)
  return 0
}
