import type { CommandCall } from '../command.ts'
import { connected } from '../connection.ts'
import { addTo } from '../files/add.ts'
import type { Io } from '../io.ts'
import { findRecord } from '../records/find-record.ts'
import { projectKind } from '../records/record-kind.ts'

/** Hands files in for a project. */
export async function addToProject(call: CommandCall, io: Io): Promise<number> {
  const [, word, ...paths] = call.words
  return await connected(call.home, io, 'write', async (connection) => {
    const { id } = await findRecord(connection, projectKind, word!)
    return await addTo(connection, paths, { project: id }, call, io)
  })
}
