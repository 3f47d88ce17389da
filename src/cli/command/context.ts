import { jsonOption } from '../arguments.ts'
import type { AnyCapability, Command, CommandCall, Connection, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { findSession } from '../find-session.ts'
import { print, printJson } from '../io.ts'
import { withNearestModel } from '../model-table.ts'
import { outlineText } from '../preview.ts'
import { preview } from '../preview.ts'
import { choiceOptions, choiceUsage, readChoices } from '../session-choices.ts'
import { readSystemOption, systemOption } from '../input-text.ts'

export const contextCommand = (capabilities: readonly AnyCapability[]): Command => ({
  name: 'context',
  summary: 'show what the next call would send',
  usage: [
    'context [SESSION] [--input TEXT] [--model ID] [--system TEXT|@FILE] [--json]',
    ...(choiceUsage(capabilities) === '' ? [] : [`context [SESSION] ${choiceUsage(capabilities)}`]),
  ],
  details:
    'A bar shows how full the window is: used, free, and kept for the answer. Every piece that is a candidate stands on a line ' +
    'of its own: where it stands, what it is, in which form it goes in, what it costs, what its fullest form would cost, and ' +
    'what became of it and why. Nothing is sent and nothing ' +
    'is written. Without a session: the first call of a new one.',
  words: { least: 0, most: 1 },
  options: {
    input: { value: 'TEXT', summary: 'as if this were the next message' },
    model: { value: 'ID', summary: 'as if this were the model' },
    system: { ...systemOption, summary: 'as if this were the system prompt (`@FILE` reads a file)' },
    ...choiceOptions(capabilities, (summary) => `as if this were the ${summary}`),
    json: { ...jsonOption, summary: 'print {request, manifest}' },
  },
  run: (call, io) => connected(call.home, io, 'read', (connection) => showContext(connection, call, io)),
})

async function showContext(connection: Connection, call: CommandCall, io: Io): Promise<number> {
  const [word] = call.words
  const model = call.text('model')
  const system = await readSystemOption(call, io)
  const { request, manifest } = await withNearestModel(connection, model, async () =>
    preview(connection, {
      session: word === undefined ? undefined : await findSession(connection, word),
      input: call.text('input'),
      model,
      system,
      ...(await readChoices(connection, call, io.capabilities)),
    }),
  )
  if (call.json) printJson(io, { request, manifest })
  else print(io, outlineText(manifest, io))
  return 0
}
