import type { CommandCall } from '../../../cli/command.ts'
import { connected } from '../../../cli/connection.ts'
import { addTo } from '../../files/cli/add.ts'
import type { Io } from '../../../cli/io.ts'
import { findRecord } from '../../../cli/records/find-record.ts'
import { projectKind } from '../../../cli/records/record-kind.ts'

/** Hands files in for a project. */
export async function addToProject(call: CommandCall, io: Io): Promise<number> {
  const [, word, ...paths] = call.words
  return await connected(call.home, io, 'write', async (connection) => {
    const { id } = await findRecord(connection, projectKind, word!)
    return await addTo(connection, paths, { project: id }, call, io)
  })
}
