import { commandWithSubcommands } from '../subcommand.ts'
import type { LoadedConfiguration } from '../../runtime.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { setKey, unsetKey } from '../config/change-key.ts'
import { effectiveValue, effectiveValues, schemaKeys, valueText } from '../config/effective-values.ts'
import { CommandFailure } from '../failure.ts'
import { applyStyle, note, print, printJson, programCapabilities } from '../io.ts'
import { nearestName } from '../../platform.ts'
import { table } from '../table.ts'

export const configCommand = commandWithSubcommands({
  name: 'config',
  summary: 'show and change the configuration',
  details:
    'Write a key with dots, such as gateway.port or models."lab/m1".window, and a list with commas or as ' +
    'several values. A value with which the gateway could not start is not written. `get` shows the values in effect: those of `config.json`, ' +
    'overridden by environment variables (FOREWORD_GATEWAY_PORT sets gateway.port). A running gateway reads changes at its next start.',
  options: { json: { summary: 'print {key, value, origin, place}, one key per line' } },
  first: 'get',
  subcommands: {
    get: {
      usage: '[KEY] [--json]',
      run: (call, io) => (call.words[1] === undefined ? getAll(call, io) : getOne(call.words[1], call, io)),
    },
    set: { usage: 'KEY VALUE…', forPersons: 'change the configuration', run: setKey },
    unset: { usage: 'KEY', forPersons: 'change the configuration', run: unsetKey },
    schema: { run: schema },
    path: { run: path },
  },
})

async function getAll(call: CommandCall, io: Io): Promise<number> {
  const loaded = await load(call, io)
  const values = effectiveValues(loaded, loaded.schema.json)
  if (!call.json)
    print(io, table(values.map(({ key, value, origin, place }) => [key, valueText(value), place ?? origin])))
  else for (const value of values) printJson(io, value)
  return await printProblems(loaded, io)
}

async function getOne(written: string, call: CommandCall, io: Io): Promise<number> {
  const { findKeyPath } = await import('../../runtime.ts')
  const loaded = await load(call, io)
  const key = findKeyPath(written, loaded.schema)?.join('.') ?? written
  const found = effectiveValue(key, loaded)
  if (found.value === undefined) refuseUnknown(key, schemaKeys(loaded.schema.json))
  if (call.json) printJson(io, found)
  else print(io, `${valueText(found.value)}  ${applyStyle(io, 'dim', `(${found.place ?? found.origin})`)}`)
  return await printProblems(loaded, io)
}

async function schema(call: CommandCall, io: Io): Promise<number> {
  const loaded = await load(call, io)
  print(io, JSON.stringify(loaded.schema.json, null, 2))
  return 0
}

async function path(call: CommandCall, io: Io): Promise<number> {
  const { homeAt } = await import('../../runtime.ts')
  const file = homeAt(call.home).configurationFile
  if (call.json) printJson(io, { path: file })
  else print(io, file)
  return 0
}

async function load(call: CommandCall, io: Io): Promise<LoadedConfiguration> {
  const { loadConfiguration } = await import('../../runtime.ts')
  return await loadConfiguration({
    home: call.home,
    environment: io.environment,
    capabilities: programCapabilities(io),
  })
}

function refuseUnknown(key: string, known: readonly string[]): void {
  if (known.some((other) => other === key || other.startsWith(`${key}.`) || key.startsWith(`${other}.`))) return
  const near = nearestName(key, known)
  throw new CommandFailure('not-found', `Unknown key "${key}".`, {
    hint: near === undefined ? 'List the keys with `foreword config`.' : `Did you mean ${near}?`,
  })
}

async function printProblems({ problems }: LoadedConfiguration, io: Io): Promise<number> {
  const { problemText } = await import('../../runtime.ts')
  for (const problem of problems) note(io, applyStyle(io, 'red', problemText(problem), io.stderr))
  return problems.length === 0 ? 0 : 1
}
