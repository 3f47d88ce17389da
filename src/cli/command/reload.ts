import { ask } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import type { Command, CommandCall, Connection, Io } from '../../capability.ts'
import { note, print, printJson } from '../io.ts'
import { findHomeStore, withWritableStore } from '../open-store.ts'
import { findGateway } from '../connection.ts'
import { withLocalTimes } from '../time-text.ts'

export const reloadCommand: Command = {
  name: 'reload',
  summary: 'read prompts, skills and plugins again',
  usage: ['reload [--json]'],
  details:
    'The running gateway reads its files again, between turns. `config.json` is read at start alone; `tool-access.json` is ' +
    'read before every step and every call.',
  words: { least: 0, most: 0 },
  options: { json: jsonOption },
  run: reloadGateway,
}

async function reloadGateway(call: CommandCall, io: Io): Promise<number> {
  const connection = await gatewayOf(call, io)
  if (connection === undefined) {
    await forgetLimits(call.home, io)
    note(io, 'No gateway runs on this home: the next start reads everything.')
    if (call.json) printJson(io, { reloaded: false, warnings: [] })
    return 0
  }
  const { warnings } = await ask<{ readonly warnings: readonly string[] }>(connection, '/api/reload', {
    method: 'POST',
  })
  if (call.json) printJson(io, { reloaded: true, warnings })
  else print(io, ['Everything was read again.', ...warnings.map(withLocalTimes)].join('\n'))
  return 0
}

/** What providers showed of limits outlives a process; a reload lifts it without a gateway, too. */
async function forgetLimits(home: string, io: Io): Promise<void> {
  const { forgetLearnedLimits } = await import('../../runtime.ts')
  const store = await findHomeStore(home, io)
  if (await store.driver.exists(store.folder)) await withWritableStore(store, forgetLearnedLimits)
}

async function gatewayOf({ home }: CommandCall, io: Io): Promise<Connection | undefined> {
  if (io.connect !== undefined) return await io.connect(home)
  const found = await findGateway(home)
  return found.type === 'gateway' ? found.connection : undefined
}
