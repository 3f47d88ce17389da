import type { LoadedConfiguration } from '../../runtime.ts'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { setKey, unsetKey } from '../config/change-key.ts'
import {
  effectiveValue,
  type EffectiveValue,
  effectiveValues,
  schemaKeys,
  valueText,
} from '../config/effective-values.ts'
import { CommandFailure, usageFailure } from '../failure.ts'
import { note, print, printJson } from '../io.ts'
import { nearestName } from '../../platform.ts'
import { styled } from '../io.ts'
import { table } from '../table.ts'

export const configCommand: Command = {
  name: 'config',
  summary: 'show and change the configuration',
  usage: ['config [get [KEY]] [--json]', 'config set KEY VALUE...', 'config unset KEY', 'config schema', 'config path'],
  details:
    'A key is written with dots, such as gateway.port or models."lab/m1".window. A list is written with commas or as ' +
    'several values. What could not start is not written. What is shown is in force: from `config.json`, with environment ' +
    'variables over it (gateway.port is FOREWORD_GATEWAY_PORT). A running gateway reads changes at its next start.',
  words: { least: 0, most: 200 },
  options: { json: { summary: 'print {key, value, origin, place}, one key per line' } },
  run: (call, io) => actionOf(call)(call, io),
}

type Action = (call: CommandCall, io: Io) => Promise<number>

const actions: Readonly<Record<string, { readonly most: number; readonly run: Action }>> = {
  get: {
    most: 2,
    run: (call, io) => (call.words[1] === undefined ? getAll(call, io) : getOne(call.words[1], call, io)),
  },
  set: { most: 200, run: setKey },
  unset: { most: 2, run: unsetKey },
  schema: { most: 1, run: schema },
  path: { most: 1, run: path },
}

function actionOf(call: CommandCall): Action {
  const [name = 'get'] = call.words
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action !== undefined && call.words.length <= action.most) return action.run
  const near = nearestName(name, Object.keys(actions))
  throw usageFailure(
    action === undefined ? `\`foreword config\` cannot \`${name}\`.` : `\`foreword config ${name}\` takes fewer words.`,
    near === undefined || action !== undefined
      ? '`foreword config --help` shows how to write it.'
      : `Did you mean \`foreword config ${near}\`?`,
  )
}

async function getAll(call: CommandCall, io: Io): Promise<number> {
  const loaded = await load(call, io)
  const values = effectiveValues(loaded, loaded.schema.json)
  if (!call.json) print(io, valueTable(values))
  else for (const value of values) printJson(io, value)
  return await tellProblems(loaded, io)
}

async function getOne(written: string, call: CommandCall, io: Io): Promise<number> {
  const { keyPathOf } = await import('../../runtime.ts')
  const loaded = await load(call, io)
  const key = keyPathOf(written, loaded.schema)?.join('.') ?? written
  const found = effectiveValue(key, loaded)
  if (found.value === undefined) refuseUnknown(key, schemaKeys(loaded.schema.json))
  if (call.json) printJson(io, found)
  else print(io, `${valueText(found.value)}  ${styled(io, 'dim', `(${found.place ?? found.origin})`)}`)
  return await tellProblems(loaded, io)
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
  return await loadConfiguration({ home: call.home, environment: io.environment, capabilities: io.capabilities ?? [] })
}

function refuseUnknown(key: string, known: readonly string[]): void {
  if (known.some((other) => other === key || other.startsWith(`${key}.`) || key.startsWith(`${other}.`))) return
  const near = nearestName(key, known)
  throw new CommandFailure('not-found', `there is no key ${key}.`, {
    hint: near === undefined ? '`foreword config` lists the keys.' : `Did you mean ${near}?`,
  })
}

/** What is wrong counts as not said; but somebody has to hear of it. */
async function tellProblems({ problems }: LoadedConfiguration, io: Io): Promise<number> {
  const { problemText } = await import('../../runtime.ts')
  for (const problem of problems) note(io, styled(io, 'red', problemText(problem), io.stderr))
  return problems.length === 0 ? 0 : 1
}

function valueTable(values: readonly EffectiveValue[]): string {
  return table(values.map(({ key, value, origin, place }) => [key, valueText(value), place ?? origin]))
}
