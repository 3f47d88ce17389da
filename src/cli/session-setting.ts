import type { SessionRow } from '../session.ts'
import { ask, pathTo } from './answer.ts'
import type { CommandCall } from './command.ts'
import type { Connection } from './connection.ts'
import { findRecord } from './records/find-record.ts'
import { agentKind, projectKind } from './records/record-kind.ts'

/** The agent and the project that the options of a call name, by their ids. */
export interface SessionSetting {
  readonly agent?: string
  readonly project?: string
}

export async function settingOf(connection: Connection, call: CommandCall): Promise<SessionSetting> {
  const [agent, project] = [call.text('agent'), call.text('project')]
  return {
    ...(agent === undefined ? {} : { agent: (await findRecord(connection, agentKind, agent)).id }),
    ...(project === undefined ? {} : { project: (await findRecord(connection, projectKind, project)).id }),
  }
}

/** The session with that setting: a new one where none is named and something is set. */
export async function sessionWith(
  connection: Connection,
  session: string | undefined,
  setting: SessionSetting,
): Promise<string | undefined> {
  if (Object.keys(setting).length === 0) return session
  if (session === undefined) {
    return (await ask<SessionRow>(connection, '/api/sessions', { method: 'POST', body: setting })).id
  }
  await ask(connection, pathTo('/api/sessions/', session), { method: 'PATCH', body: setting })
  return session
}
