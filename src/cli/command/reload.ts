import { existsSync } from 'node:fs'
import { ask } from '../answer.ts'
import { jsonOption } from '../command.ts'
import type { Command, CommandCall, Connection, Io } from '../../capability.ts'
import { note, print, printJson } from '../io.ts'
import { withWritableStore } from '../open-store.ts'
import { runningGateway } from '../running-gateway.ts'
import { withLocalTimes } from '../time-text.ts'

export const reload: Command = {
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
    await forgetLimits(call.home)
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
async function forgetLimits(home: string): Promise<void> {
  const { forgetLearnedLimits, storePath } = await import('../../runtime.ts')
  if (existsSync(storePath(home))) await withWritableStore(home, forgetLearnedLimits)
}

async function gatewayOf({ home }: CommandCall, io: Io): Promise<Connection | undefined> {
  if (io.connect !== undefined) return await io.connect(home)
  const found = await runningGateway(home)
  return found.type === 'gateway' ? found.connection : undefined
}
