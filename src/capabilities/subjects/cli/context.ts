import type { SubjectReading } from '../core.ts'
import { ask, connected, pathTo, printJson } from '../../../cli.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import { findSubject } from './find-subject.ts'
import { tellWarnings } from './tell-warnings.ts'

/** What `read_context` answers; what was odd about the files stands beside it. */
export async function showContext(call: CommandCall, io: Io): Promise<number> {
  const { context, warnings } = await connected(call.home, io, 'read', async (connection) => {
    const { id } = await findSubject(connection, call.words[1]!)
    return await ask<Omit<SubjectReading, 'id'>>(connection, pathTo('/api/subjects/', id, '/context'))
  })
  printJson(io, context, { pretty: !call.json })
  tellWarnings(warnings, io)
  return 0
}
