import type { CommandCall, Connection, Io } from '../../../capability.ts'
import {
  agentKind,
  type Belonging,
  connected,
  exactLine,
  findRecord,
  findSession,
  type HandedIn,
  handIn,
  note,
  print,
  printJson,
  projectKind,
  stateText,
  styled,
  usageFailure,
} from '../../../cli.ts'

/** Hands files in, for a project, an agent, a session, or the next message. */
export async function addFiles(call: CommandCall, io: Io): Promise<number> {
  return await connected(call.home, io, 'write', async (connection) =>
    addTo(connection, call.words.slice(1), await belongingOf(connection, call), call, io),
  )
}

/** Hands files in and prints a line for each. Answers the exit code: 1 where one could not be handed in or read. */
export async function addTo(
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

async function belongingOf(connection: Connection, call: CommandCall): Promise<Belonging> {
  const [project, agent, session] = [call.text('project'), call.text('agent'), call.text('session')]
  if ([project, agent, session].filter((each) => each !== undefined).length > 1) {
    throw usageFailure('A file belongs to one thing.', 'Name a project, an agent or a session.')
  }
  if (project !== undefined) return { project: (await findRecord(connection, projectKind, project)).id }
  if (agent !== undefined) return { agent: (await findRecord(connection, agentKind, agent)).id }
  return session === undefined ? {} : { session: await findSession(connection, session) }
}
