import type { CommandCall, Io } from '../../../capability.ts'
import { connected, findRecord, projectKind } from '../../../cli.ts'
import { addTo } from '../../files/cli/add.ts'

/** Hands files in for a project. */
export async function addToProject(call: CommandCall, io: Io): Promise<number> {
  const [, word, ...paths] = call.words
  return await connected(call.home, io, 'write', async (connection) => {
    const { id } = await findRecord(connection, projectKind, word!)
    return await addTo(connection, paths, { project: id }, call, io)
  })
}
