import {
  answer,
  connected,
  exactLine,
  note,
  pathTo,
  personAgrees,
  printJson,
  purposeOf,
  findFile,
} from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'

/** Removes a file, its text and its place in the index, for good: a person is asked, unless `--yes` says so. */
export async function removeFile(call: CommandCall, io: Io): Promise<number> {
  const removed = await connected(call.home, io, purposeOf(call, io), async (connection) => {
    const found = await findFile(connection, call.words[1]!)
    if (!(await personAgrees(`Remove ${exactLine(found.name)} (${found.id}) for good?`, call, io))) return undefined
    await answer(connection, pathTo('/api/files/', found.id), { method: 'DELETE' })
    return found
  })
  if (removed === undefined) {
    note(io, 'Nothing was removed.')
    return 1
  }
  const { id, name } = removed
  if (call.json) printJson(io, { removed: id })
  else note(io, `${exactLine(name)} (${id}) is removed. Messages that it came with keep what they held.`)
  return 0
}
