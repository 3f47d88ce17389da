import type { SessionMemory } from '../../../runtime.ts'
import type { SessionRow } from '../../../session.ts'
import {
  ask,
  CommandFailure,
  connected,
  exactLine,
  findSession,
  harmless,
  note,
  pathTo,
  print,
  printJson,
  styled,
} from '../../../cli.ts'
import type { CommandCall, Connection, Io } from '../../../capability.ts'

/** What a session is given of earlier ones: the words, from where, and what they cost. */
export async function showMemory(call: CommandCall, io: Io): Promise<number> {
  const shown = await connected(call.home, io, 'read', async (connection) => {
    const [, word] = call.words
    const session = word === undefined ? await newestSession(connection) : await findSession(connection, word)
    const input = call.text('input')
    const query = input === undefined ? '' : `?input=${encodeURIComponent(input)}`
    return await ask<SessionMemory>(connection, `${pathTo('/api/sessions/', session, '/memory')}${query}`)
  })
  if (call.json) printJson(io, shown)
  else tellMemory(shown, io)
  return 0
}

async function newestSession(connection: Connection): Promise<string> {
  const { sessions } = await ask<{ readonly sessions: readonly SessionRow[] }>(connection, '/api/sessions?limit=1')
  const [newest] = sessions
  if (newest) return newest.id
  throw new CommandFailure('not-found', 'there are no sessions yet.', {
    hint: '`foreword send "Hello"` begins one.',
  })
}

function tellMemory({ session, on, layers, own, forgotten }: SessionMemory, io: Io): void {
  print(io, styled(io, 'bold', `session ${exactLine(session)}`))
  const off = [
    ...(on.previousSession ? [] : ['the previous session (`context.memory.previousSession.enabled`)']),
    ...(on.toolHistory ? [] : ['earlier calls of tools (`context.memory.toolHistory.enabled`)']),
  ]
  if (off.length > 0) note(io, `Switched off: ${off.join(', ')}.`)
  for (const { id, text, tokens, origin } of layers) {
    if (text === '') print(io, `\n${exactLine(id)}: nothing`)
    else {
      print(io, `\n${styled(io, 'bold', `${exactLine(id)}, ${tokens} tokens, from ${exactLine(origin)}`)}`)
      print(io, harmless(text, io.stdout))
    }
  }
  if (forgotten) print(io, '\nIt is forgotten: no other session is given anything of it.')
  else if (own) {
    const by = own.by === undefined ? 'by rule from its log' : `by ${exactLine(own.by)}`
    print(io, `\n${styled(io, 'bold', `its own summary, for the next session, ${by}`)}`)
    print(io, harmless(own.text, io.stdout))
  }
}
