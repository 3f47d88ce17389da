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
  set: { most: 200, run: set },
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

async function getOne(written: string, call: CommandCall, io: Io): Promise<number> {
  const { configurationSchema, keyPathOf } = await import('../../runtime.ts')
  const key = keyPathOf(written)?.join('.') ?? written
  const loaded = await load(call, io)
  const found = effectiveValue(key, loaded)
  if (found.value === undefined) refuseUnknown(key, schemaKeys(configurationSchema()))
  if (call.json) printJson(io, found)
  else print(io, `${valueText(found.value)}  ${styled(io, 'dim', `(${found.place ?? found.origin})`)}`)
  return await tellProblems(loaded, io)
}

async function set(call: CommandCall, io: Io): Promise<number> {
  refuseTools(io, 'change the configuration')
  const [, key, ...texts] = call.words
  if (key === undefined || texts.length === 0) {
    throw usageFailure('A key and a value are needed.', 'Write `foreword config set KEY VALUE`.')
  }
  const { valueOfWords } = await import('../../runtime.ts')
  const path = await pathOf(key)
  const value = valueOfWords(path, texts)
  return await change(path, value, call, io, quotingMend(key, texts, value))
}

async function unset(call: CommandCall, io: Io): Promise<number> {
  refuseTools(io, 'change the configuration')
  const [, key] = call.words
  if (key === undefined) throw usageFailure('A key is needed.', 'Write `foreword config unset KEY`.')
  return await change(await pathOf(key), undefined, call, io)
}

/** What may be meant where a text was due and JSON of another kind was written. */
function quotingMend(key: string, [text]: readonly string[], value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'object') return undefined
  return `If you mean the text, write it in quotes: \`foreword config set ${key} '"${text}"'\`.`
}

async function pathOf(key: string): Promise<readonly string[]> {
  const { configurationKey } = await import('../../runtime.ts')
  return await orFailure(() => Promise.resolve(configurationKey(key)))
}

/** Writes what is read back as it was meant, and what a gateway could start with; else nothing. */
async function change(
  path: readonly string[],
  value: unknown,
  call: CommandCall,
  io: Io,
  mend?: string,
): Promise<number> {
  const { loadConfiguration, setValue, variableOf } = await import('../../runtime.ts')
  const { assertStartable } = await import('../config/assert-startable.ts')
  const { home } = call
  const key = path.join('.')
  // The file is checked, not what the environment says over it.
  const environment = { ...io.environment, [variableOf(path)]: undefined }
  let odd: readonly string[] = []
  const check = async (text: string) => {
    const read = () => Promise.resolve({ type: 'text' as const, text })
    const { configuration } = await loadConfiguration({ home, environment, read })
    odd = value === undefined ? [] : await assertStartable({ home, key, configuration, environment })
  }
  const before = (await load(call, io)).origins
  await orFailure(() => setValue({ home, key: path, value, check }), mend)
  const wasSet = Object.keys(before).some((other) => other === key || other.startsWith(`${key}.`))
  if (value === undefined && !wasSet && !call.json) {
    note(io, `${key} was not set.`)
    return 0
  }
  for (const sentence of odd) note(io, styled(io, 'yellow', sentence, io.stderr))
  return await tellChange(key, call, io)
}

async function orFailure<T>(work: () => Promise<T>, mend?: string): Promise<T> {
  const { ConfigurationError } = await import('../../runtime.ts')
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    const ofKind = error.problems.some(({ message }) => message.startsWith('must be a text'))
    const facts = ofKind && mend !== undefined ? { mend } : {}
    throw new CommandFailure('configuration', error.message, { cause: error, ...facts })
  }
}

/** What is in force at the next start, and what is odd about this key then. */
async function tellChange(key: string, call: CommandCall, io: Io): Promise<number> {
  const { configurationWarnings, problemText } = await import('../../runtime.ts')
  const loaded = await load(call, io)
  const now = effectiveValue(key, loaded)
  if (call.json) printJson(io, now)
  else note(io, `${key} is ${valueText(now.value)} from the next start on.`)
  if (now.origin === 'environment') note(io, `The environment variable ${now.place} is set and goes before the file.`)
  const odd = await configurationWarnings(loaded, io.environment)
  const near = odd.filter(
    (each) => each.key === key || each.key.startsWith(`${key}.`) || key.startsWith(`${each.key}.`),
  )
  for (const each of near) note(io, styled(io, 'yellow', problemText(each), io.stderr))
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
  throw new CommandFailure('not-found', `there is no key ${key}.`, {
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
