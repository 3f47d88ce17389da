import type { LoadedConfiguration } from '../../runtime.ts'
import type { Command, CommandCall } from '../command.ts'
import { effectiveValue, type EffectiveValue, effectiveValues, schemaKeys } from '../config/effective-values.ts'
import { CommandFailure, usageFailure } from '../failure.ts'
import { type Io, note, print, printJson } from '../io.ts'
import { refuseTools } from '../for-persons.ts'
import { nearestName } from '../nearest-name.ts'
import { styled } from '../style.ts'
import { table } from '../table.ts'

export const config: Command = {
  name: 'config',
  summary: 'show and change the configuration',
  usage: ['config [get [KEY]] [--json]', 'config set KEY VALUE', 'config unset KEY', 'config schema', 'config path'],
  details:
    'A key is written with dots, such as gateway.port. What is shown is in force: from `config.json`, with environment ' +
    'variables over it (gateway.port is FOREWORD_GATEWAY_PORT). A running gateway reads changes at its next start.',
  words: { least: 0, most: 3 },
  options: { json: { summary: 'print {key, value, origin, place}, one key per line' } },
  run: (call, io) => actionOf(call)(call, io),
}

type Action = (call: CommandCall, io: Io) => Promise<number>

const actions: Readonly<Record<string, { readonly most: number; readonly run: Action }>> = {
  get: {
    most: 2,
    run: (call, io) => (call.words[1] === undefined ? getAll(call, io) : getOne(call.words[1], call, io)),
  },
  set: { most: 3, run: set },
  unset: { most: 2, run: unset },
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
  const { configurationSchema } = await import('../../runtime.ts')
  const loaded = await load(call, io)
  const values = effectiveValues(loaded, configurationSchema())
  if (!call.json) print(io, valueTable(values))
  else for (const value of values) printJson(io, value)
  return await tellProblems(loaded, io)
}

async function getOne(key: string, call: CommandCall, io: Io): Promise<number> {
  const { configurationSchema } = await import('../../runtime.ts')
  const loaded = await load(call, io)
  const found = effectiveValue(key, loaded)
  if (found.value === undefined) refuseUnknown(key, schemaKeys(configurationSchema()))
  if (call.json) printJson(io, found)
  else print(io, `${valueText(found.value)}  ${styled(io, 'dim', `(${found.place ?? found.origin})`)}`)
  return await tellProblems(loaded, io)
}

async function set(call: CommandCall, io: Io): Promise<number> {
  refuseTools(io, 'change the configuration')
  const [, key, text] = call.words
  if (key === undefined || text === undefined) {
    throw usageFailure('A key and a value are needed.', 'Write `foreword config set KEY VALUE`.')
  }
  await write(call.home, key, meanings(text))
  return await tellChange(key, call, io)
}

async function unset(call: CommandCall, io: Io): Promise<number> {
  refuseTools(io, 'change the configuration')
  const [, key] = call.words
  if (key === undefined) throw usageFailure('A key is needed.', 'Write `foreword config unset KEY`.')
  await write(call.home, key, [undefined])
  return await tellChange(key, call, io)
}

/** What a text may mean: JSON where it is JSON, such as `4141` or `["a"]`, else the text itself. */
function meanings(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text), text]
  } catch {
    return [text]
  }
}

/** Writes the first meaning that fits the key. */
async function write(home: string, key: string, values: readonly unknown[]): Promise<void> {
  const { ConfigurationError, setValue } = await import('../../runtime.ts')
  let first: Error | undefined
  for (const value of values) {
    try {
      return await setValue({ home, key, value })
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      first ??= new CommandFailure('configuration', error.message, { cause: error })
    }
  }
  if (first !== undefined) throw first
}

async function tellChange(key: string, call: CommandCall, io: Io): Promise<number> {
  const now = effectiveValue(key, await load(call, io))
  if (call.json) printJson(io, now)
  else note(io, `${key} is ${valueText(now.value)} from the next start on.`)
  if (now.origin === 'environment') note(io, `The environment variable ${now.place} is set and goes before the file.`)
  return 0
}

async function schema(_call: CommandCall, io: Io): Promise<number> {
  const { configurationSchema } = await import('../../runtime.ts')
  print(io, JSON.stringify(configurationSchema(), null, 2))
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
  return await loadConfiguration({ home: call.home, environment: io.environment })
}

function refuseUnknown(key: string, known: readonly string[]): void {
  if (known.some((other) => other === key || other.startsWith(`${key}.`) || key.startsWith(`${other}.`))) return
  const near = nearestName(key, known)
  throw new CommandFailure('no-such-key', `there is no key ${key}.`, {
    mend: near === undefined ? '`foreword config` lists the keys.' : `Did you mean ${near}?`,
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

function valueText(value: unknown): string {
  if (value === undefined) return '-'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
