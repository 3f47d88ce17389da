import { jsonOption } from '../arguments.ts'
import type { Command, CommandCall, GatewayConnection, Io } from '../../capability.ts'
import { withConnection } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { findSession } from '../find-session.ts'
import { type CommandSource, print, printJson } from '../io.ts'
import { defined } from '../../platform.ts'
import { withNearestModel } from '../model-table.ts'
import { forecastLines, outlineText, fetchPreview } from '../preview.ts'
import { choiceOptions, choiceUsage, readChoices, withoutNone } from '../session-choices.ts'
import { readSystemOption, systemOption } from '../input-text.ts'

export const contextCommand = (source: CommandSource): Command => ({
  name: 'context',
  group: 'look',
  summary: 'show what the next call would send',
  usage: [
    'context [SESSION] [--input TEXT] [--model ID] [--system TEXT|@FILE] [--json]',
    ...(choiceUsage(source) === '' ? [] : [`context [SESSION] ${choiceUsage(source)}`]),
  ],
  details:
    'A bar shows how full the window is: used, free, and reserved for the answer. Below it, each candidate has a line: its slot, its ' +
    'id, the form it takes, its size in tokens of the provider, that of its fullest form, its outcome, and the reason. Nothing is sent or ' +
    'written. Without a session, it is the first call of a new one.',
  words: { least: 0, most: 1 },
  options: {
    input: { value: 'TEXT', summary: 'preview with this as the next message' },
    model: { value: 'ID', summary: 'preview with this model' },
    system: { ...systemOption, summary: 'preview with this system prompt (`@FILE` reads a file)' },
    ...choiceOptions(source, (summary) => `preview with the ${summary}`),
    json: { ...jsonOption, summary: 'print {request, manifest, figures, cost}' },
  },
  run: (call, io) => withConnection(call.home, io, 'read', (connection) => showContext(connection, call, io)),
})

async function showContext(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const [word] = call.words
  const model = call.text('model')
  const system = await readSystemOption(call, io)
  const chosen = await readChoices(connection, call, io)
  const cleared = Object.keys(chosen).find((name) => chosen[name] === null)
  if (word !== undefined && cleared !== undefined) {
    const hint = `Clear the choice first, with \`/${cleared} none\` in \`foreword chat --session ${word}\`.`
    throw usageFailure(`--${cleared} none has no preview in a session.`, hint)
  }
  const preview = await withNearestModel(connection, model, async () =>
    fetchPreview(connection, {
      session: word === undefined ? undefined : await findSession(connection, word),
      input: call.text('input'),
      model,
      system,
      ...withoutNone(chosen),
    }),
  )
  const { request, manifest, figures, cost } = preview
  if (call.json) printJson(io, { request, manifest, figures, ...defined({ cost }) })
  else print(io, [outlineText(preview, io), ...forecastLines(preview, io)].join('\n'))
  return 0
}
