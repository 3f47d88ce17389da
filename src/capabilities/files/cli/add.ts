import type { CommandCall, Connection, Io } from '../../../capability.ts'
import {
  addFilesTo,
  agentKind,
  type Belonging,
  connected,
  findRecord,
  findSession,
  projectKind,
  usageFailure,
} from '../../../cli.ts'

/** Hands files in, for a project, an agent, a session, or the next message. */
export async function addFiles(call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, 'write', async (connection) =>
    addFilesTo(connection, call.words.slice(1), await belongingOf(connection, call), call, io),
  )
}

async function belongingOf(connection: Connection, call: CommandCall): Promise<Belonging> {
  const [project, agent, session] = [call.text('project'), call.text('agent'), call.text('session')]
  if ([project, agent, session].filter((each) => each !== undefined).length > 1) {
    throw usageFailure('A file belongs to one thing.', 'Name a project, an agent or a session.')
  }
  if (project !== undefined) return { project: (await findRecord(connection, projectKind, project)).id }
  if (agent !== undefined) return { agent: (await findRecord(connection, agentKind, agent)).id }
  return session === undefined ? {} : { session: await findSession(connection, session) }
}
