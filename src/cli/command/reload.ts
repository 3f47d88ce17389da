import { requestJson } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import type { Command, CommandCall, GatewayConnection, Io } from '../../capability.ts'
import { note, print, printJson } from '../io.ts'
import { findHomeStore, withWritableStore } from '../open-store.ts'
import { findGateway } from '../connection.ts'
import { withLocalTimes } from '../time-text.ts'

export const reloadCommand: Command = {
  name: 'reload',
  summary: 'read prompts, plugins and the files of capabilities again',
  usage: ['reload [--json]'],
  details:
    'The running gateway reads its files again, between turns. It reads `config.json` only at start, and `tool-access.json` ' +
    'before every step and every call.',
  words: { least: 0, most: 0 },
  options: { json: jsonOption },
  run: reloadGateway,
}

async function reloadGateway(call: CommandCall, io: Io): Promise<number> {
  const connection = await findRunning(call, io)
  if (connection === undefined) {
    await forgetLimits(call.home, io)
    note(io, 'No gateway runs on this home. The next start reads everything.')
    if (call.json) printJson(io, { reloaded: false, warnings: [] })
    return 0
  }
  const { warnings } = await requestJson<{ readonly warnings: readonly string[] }>(connection, '/api/reload', {
    method: 'POST',
  })
  if (call.json) printJson(io, { reloaded: true, warnings })
  else print(io, ['Reloaded.', ...warnings.map(withLocalTimes)].join('\n'))
  return 0
}

/** Limits that providers reported are stored. A reload removes them without a gateway, too. */
async function forgetLimits(home: string, io: Io): Promise<void> {
  const { forgetLearnedLimits } = await import('../../runtime.ts')
  const store = await findHomeStore(home, io)
  if (await store.driver.exists(store.folder)) await withWritableStore(store, forgetLearnedLimits)
}

async function findRunning({ home }: CommandCall, io: Io): Promise<GatewayConnection | undefined> {
  if (io.connect !== undefined) return await io.connect(home)
  const found = await findGateway(home)
  return found.type === 'gateway' ? found.connection : undefined
}
