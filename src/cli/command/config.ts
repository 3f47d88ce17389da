import { commandWithSubcommands } from '../subcommand.ts'
import type { ConfigurationError, ConfigurationSchema, Environment, LoadedConfiguration } from '../../runtime.ts'
import type { CommandCall, Io, Finding } from '../../capability.ts'
import { effectiveValue, effectiveValues, schemaKeys, valueText } from '../effective-values.ts'
import { CommandFailure, notRecorded } from '../failure.ts'
import { applyStyle, note, print, printJson, programCapabilities, printAnswer } from '../io.ts'
import { defined, nearestHint, quoteForShell, systemClock, errorMessage } from '../../platform.ts'
import { table } from '../table.ts'
import { checkModel, checkPlugins } from '../doctor/check-configuration.ts'
import { checkPort, checkToken } from '../doctor/check-gateway.ts'
import { findHomeStore, withWritableStore } from '../open-store.ts'

export const configCommand = commandWithSubcommands({
  name: 'config',
  group: 'set-up',
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
    schema: { run: async (call, io) => printJson(io, (await load(call, io)).schema.json, { pretty: true }) },
    path: { run: printPath },
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

async function printPath(call: CommandCall, io: Io): Promise<number> {
  const { homeAt } = await import('../../runtime.ts')
  return printAnswer({ path: homeAt(call.home).configurationFile }, ({ path }) => path, call, io)
}

async function load(call: CommandCall, io: Io): Promise<LoadedConfiguration> {
  const { loadConfiguration } = await import('../../runtime.ts')
  return await loadConfiguration({
    home: call.home,
    environment: io.environment,
    capabilities: await programCapabilities(io),
  })
}

function refuseUnknown(key: string, known: readonly string[]): void {
  if (known.some((other) => other === key || other.startsWith(`${key}.`) || key.startsWith(`${other}.`))) return
  const hint = nearestHint(key, known, 'List the keys with `foreword config`.')
  throw new CommandFailure('not-found', `Unknown key "${key}".`, { hint })
}

async function printProblems({ problems }: LoadedConfiguration, io: Io): Promise<number> {
  const { problemText } = await import('../../runtime.ts')
  for (const problem of problems) note(io, problemText(problem), 'red')
  return problems.length === 0 ? 0 : 1
}

async function setKey(call: CommandCall, io: Io): Promise<number> {
  const [, key = '', ...texts] = call.words
  const { parseWords } = await import('../../runtime.ts')
  const { schema } = await load(call, io)
  const path = await keyPath(key, schema)
  const value = parseWords(path, texts, schema)
  return await changeKey(path, value, call, io, quotingHint(key, texts, value))
}

async function unsetKey(call: CommandCall, io: Io): Promise<number> {
  const [, key = ''] = call.words
  return await changeKey(await keyPath(key, (await load(call, io)).schema), undefined, call, io)
}

function quotingHint(key: string, [text]: readonly string[], value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'object') return undefined
  return `If you mean the text, write it in quotes: \`foreword config set ${key} ${quoteForShell(`"${text}"`)}\`.`
}

async function keyPath(key: string, schema: ConfigurationSchema): Promise<readonly string[]> {
  const { configurationKey } = await import('../../runtime.ts')
  return await orFailure(() => configurationKey(key, schema))
}

/** Writes the change only if the file can be read back and a gateway could start with it. */
async function changeKey(
  path: readonly string[],
  value: unknown,
  call: CommandCall,
  io: Io,
  hint?: string,
): Promise<number> {
  const { loadConfiguration, setValue, variableName } = await import('../../runtime.ts')
  const { home } = call
  const key = path.join('.')
  // Checks the value in the file, without the environment variable that overrides it.
  const environment = { ...io.environment, [variableName(path)]: undefined }
  let odd: readonly string[] = []
  const check = async (text: string) => {
    const read = () => Promise.resolve({ type: 'text' as const, text })
    const planned = await loadConfiguration({ home, environment, capabilities: await programCapabilities(io), read })
    odd = value === undefined ? [] : await assertStartable({ home, path, planned, environment })
    await recordChange(key, value, call, io)
  }
  const { origins, schema } = await load(call, io)
  await orFailure(
    () => setValue({ home, clock: systemClock, schema, key: path, value, check }),
    hint,
    (problems) => togetherHint(path, value, problems),
  )
  const wasSet = Object.keys(origins).some((other) => other === key || other.startsWith(`${key}.`))
  if (value === undefined && !wasSet && !call.json) {
    note(io, `${key} was not set.`)
    return 0
  }
  for (const sentence of odd) note(io, sentence, 'yellow')
  return await printChange(key, value, call, io)
}

/** Records the key in the audit, never the value, before the change counts. A home without a store has no audit yet. */
async function recordChange(key: string, value: unknown, { home }: CommandCall, io: Io): Promise<void> {
  const reason = `${key} ${value === undefined ? 'removed' : 'set'} with foreword config`.slice(0, MOST_REASON)
  const facts = { kind: 'change', rule: 'config.json', by: 'cli', reason } as const
  try {
    const kept = await findHomeStore(home, io)
    if (!kept.exists()) return
    await withWritableStore(kept, (store) =>
      store.transaction([{ type: 'audit', facts, time: new Date().toISOString() }]),
    )
  } catch (error) {
    // An address that is wrong has to be corrected while nothing can be reached at it.
    if (key.split('.')[0] === 'store') return note(io, `Not recorded in the audit: ${errorMessage(error)}`, 'yellow')
    throw notRecorded('configuration', error)
  }
}

const MOST_REASON = 500

async function orFailure<T>(
  work: () => T | Promise<T>,
  hint?: string,
  otherHint?: (problems: ConfigurationError['problems']) => string | undefined,
): Promise<T> {
  const runtime = await import('../../runtime.ts')
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof runtime.ConfigurationError)) throw error
    const expectsText = error.problems.some(({ message }) => message.startsWith('must be a text'))
    const found = expectsText ? hint : otherHint?.(error.problems)
    throw new CommandFailure('configuration', error.message, { cause: error, ...defined({ hint: found }) })
  }
}

/** Where a key needs others beside it, such as the two of a price, the command that sets them at once. */
function togetherHint(
  path: readonly string[],
  value: unknown,
  problems: ConfigurationError['problems'],
): string | undefined {
  const parent = path.slice(0, -1).join('.')
  const missing = problems
    .filter(({ key, message }) => message.startsWith('is missing') && key.startsWith(`${parent}.`))
    .map(({ key }) => key.slice(parent.length + 1))
  if (parent === '' || missing.length === 0) return undefined
  const together = { [path.at(-1)!]: value, ...Object.fromEntries(missing.map((name) => [name, '…'])) }
  const text = JSON.stringify(together).replaceAll('"…"', '…')
  return `Set them at once: \`foreword config set ${parent} ${quoteForShell(text)}\`.`
}

async function printChange(key: string, value: unknown, call: CommandCall, io: Io): Promise<number> {
  const { configurationWarnings, problemText } = await import('../../runtime.ts')
  const effective = await load(call, io)
  const now = effectiveValue(key, effective)
  const next = now.value === undefined ? '' : ` The next start uses ${valueText(now.value)}.`
  if (call.json) printJson(io, now)
  else if (value === undefined) note(io, `Removed ${key} from config.json.${next}`)
  else note(io, `Set ${key} to ${valueText(now.value)}. It takes effect at the next start.`)
  if (now.origin === 'environment') note(io, `The environment variable ${now.place} is set and overrides the file.`)
  const odd = await configurationWarnings(effective, io.environment)
  const near = odd.filter(
    (each) => each.key === key || each.key.startsWith(`${key}.`) || key.startsWith(`${each.key}.`),
  )
  for (const each of near) note(io, problemText(each), 'yellow')
  return 0
}

interface PlannedChange {
  readonly home: string
  readonly path: readonly string[]
  readonly planned: LoadedConfiguration
  readonly environment: Environment
}

/** Throws where no gateway could start with this change, or use a model. Returns warnings about the changed key. */
async function assertStartable(change: PlannedChange): Promise<readonly string[]> {
  const { home, path, planned } = change
  const { configuration, problems, schema } = planned
  const { gateway } = configuration
  const key = path.join('.')
  const { factsAt } = await import('../../runtime.ts')
  if (key === 'model' || factsAt(schema.whole, path).model) return await checkModelId(change)
  if (key === 'gateway.bind')
    refuseProblems([await checkPort(0, gateway.bind), ...(await checkToken(home, gateway, change))])
  const broken = key === 'capabilities' ? problems.find((problem) => problem.key === key) : undefined
  if (broken) throw refused(`${key} ${broken.message}.`, broken.hint)
  if (key === 'plugins') refuseProblems(await checkPlugins(home, configuration))
  return []
}

/** Throws for an id that no model can have. Returns warnings about any other. */
async function checkModelId({ path, planned, environment }: PlannedChange): Promise<readonly string[]> {
  const { configuration, knownProviders: known } = planned
  const key = path.join('.')
  const id = effectiveValue(key, planned).value
  if (typeof id !== 'string') return []
  const { modelNameFault } = await import('../../runtime.ts')
  const fault = modelNameFault(id, configuration, known)
  if (fault) throw refused(`${key} ${fault.message}.`, fault.hint)
  const { createModels, waysToAttach } = await import('../../model.ts')
  const { providers, models } = configuration
  const {
    level,
    message,
    hint = '',
  } = await checkModel(
    createModels({ clock: systemClock, known, providers, models, environment }),
    id,
    waysToAttach(known),
  )
  return level === 'ok' ? [] : [`${message}. ${hint}`.trimEnd()]
}

function refuseProblems(findings: readonly Finding[]): void {
  const first = findings.find(({ level }) => level === 'problem')
  if (first) throw refused(`${first.message}.`.replace(/\.\.$/, '.'), first.hint)
}

function refused(why: string, hint: string | undefined): CommandFailure {
  return new CommandFailure('configuration', `Nothing was changed: ${why}`, { hint })
}
