import type { CommandCall, GatewayConnection, Io } from '../../../capability.ts'
import {
  CommandFailure,
  sendRequest,
  requestJson,
  withConnection,
  fetchTokenScale,
  findSession,
  safeForTerminal,
  note,
  apiPath,
  confirmAction,
  print,
  connectionPurpose,
  commandWithSubcommands,
  applyStyle,
  requestList,
  printChange,
  answerCommand,
} from '../../../cli.ts'
import { countedText, exactLine } from '../../../context.ts'
import type { SessionRow } from '../../../session.ts'
import type { SessionMemory } from '../core/memory.ts'

export const memoryCommand = commandWithSubcommands({
  name: 'memory',
  group: 'keep',
  summary: 'show what a session remembers of earlier ones, and forget sessions',
  details:
    'SESSION is an id, the beginning of one, or `last` (default: the newest). A session remembers a summary of the last ' +
    'session of its conversation, and earlier calls of tools that its next message finds: in the layout `ayati`, and where ' +
    '`context.memory` enables it. `forget` permanently removes what other sessions remember of one; the session itself stays ' +
    'until `foreword sessions delete`.',
  options: {
    input: { value: 'TEXT', summary: 'show: the next message, which finds earlier calls of tools' },
    yes: { summary: 'forget: do not ask for confirmation' },
  },
  first: 'show',
  subcommands: {
    show: { usage: '[SESSION] [--input TEXT] [--json]', run: answerCommand(fetchMemory, printMemory) },
    forget: { usage: 'SESSION [--yes] [--json]', forPersons: 'forget sessions', run: forgetSession },
  },
})

async function fetchMemory(connection: GatewayConnection, { words, text, json }: CommandCall): Promise<SessionMemory> {
  const [, word] = words
  const session = word === undefined ? await newestSession(connection) : await findSession(connection, word)
  const input = text('input')
  const query = input === undefined ? '' : `?input=${encodeURIComponent(input)}`
  const memory = await requestJson<SessionMemory>(
    connection,
    `${apiPath('/api/sessions/', session, '/memory')}${query}`,
  )
  if (json) return memory
  const sized = await fetchTokenScale(connection, session)
  return { ...memory, layers: memory.layers.map((layer) => ({ ...layer, tokens: sized(layer.tokens) })) }
}

async function newestSession(connection: GatewayConnection): Promise<string> {
  const [newest] = await requestList<SessionRow>(connection, '/api/sessions?limit=1', 'sessions')
  if (newest) return newest.id
  throw new CommandFailure('not-found', 'No sessions yet.', { hint: 'Start one with `foreword chat`.' })
}

function printMemory({ session, on, layers, own, forgotten }: SessionMemory, io: Io): void {
  print(io, `session ${exactLine(session)}`, 'bold')
  const off = [
    ...(on.previousSession ? [] : ['the previous session (`context.memory.previousSession.enabled`)']),
    ...(on.toolHistory ? [] : ['earlier calls of tools (`context.memory.toolHistory.enabled`)']),
  ]
  if (off.length > 0) note(io, `Switched off: ${off.join(', ')}.`)
  for (const { id, text, tokens, origin } of layers) {
    if (text === '') print(io, `\n${exactLine(id)}: nothing`)
    else {
      print(
        io,
        `\n${applyStyle(io, 'bold', `${exactLine(id)}, ${countedText(tokens, 'token')}, from ${exactLine(origin)}`)}`,
      )
      print(io, safeForTerminal(text, io.stdout))
    }
  }
  if (forgotten) print(io, '\nThis session is forgotten: no other session remembers anything of it.')
  else if (own) {
    const by = own.by === undefined ? 'by rule from its log' : `by ${exactLine(own.by)}`
    print(io, `\n${applyStyle(io, 'bold', `its own summary, for the next session, ${by}`)}`)
    print(io, safeForTerminal(own.text, io.stdout))
  }
}

async function forgetSession(call: CommandCall, io: Io): Promise<number> {
  return await withConnection(call.home, io, connectionPurpose(call, io), async (connection) => {
    const session = await findSession(connection, call.words[1]!)
    const question = `Permanently forget the session ${session} in all other sessions?`
    if (!(await confirmAction(question, 'Nothing was forgotten.', call, io))) return 1
    await sendRequest(connection, apiPath('/api/sessions/', session, '/memory'), { method: 'DELETE' })
    const hint = 'Its log stays. Remove it with `foreword sessions delete`.'
    return printChange({ forgotten: session }, `Forgot ${session} in all other sessions. ${hint}`, call, io)
  })
}
