import type { SessionRow } from '../session.ts'
import { ask, pathTo } from './answer.ts'
import type { CommandCall } from './command.ts'
import type { Connection } from './connection.ts'
import { findSession } from './find-session.ts'
import { findRecord } from './records/find-record.ts'
import { agentKind, projectKind } from './records/record-kind.ts'
import { findSubject } from '../capabilities/subjects/cli/find-subject.ts'

/** The agent, the project and the subject that the options of a call name, by their ids. */
export interface SessionSetting {
  readonly agent?: string
  readonly project?: string
  readonly subject?: string
}

export async function settingOf(connection: Connection, call: CommandCall): Promise<SessionSetting> {
  const [agent, project, subject] = [call.text('agent'), call.text('project'), call.text('subject')]
  return {
    ...(agent === undefined ? {} : { agent: (await findRecord(connection, agentKind, agent)).id }),
    ...(project === undefined ? {} : { project: (await findRecord(connection, projectKind, project)).id }),
    ...(subject === undefined ? {} : { subject: (await findSubject(connection, subject)).id }),
  }
}

/** The session that a word means, with that setting: a new one where none is named and something is set. */
export async function sessionWith(
  connection: Connection,
  word: string | undefined,
  setting: SessionSetting,
): Promise<string | undefined> {
  const session = word === undefined ? undefined : await findSession(connection, word)
  if (Object.keys(setting).length === 0) return session
  if (session === undefined) {
    return (await ask<SessionRow>(connection, '/api/sessions', { method: 'POST', body: setting })).id
  }
  await ask(connection, pathTo('/api/sessions/', session), { method: 'PATCH', body: setting })
  return session
}
