import { existsSync } from 'node:fs'
import type { CommandCall, Finding, Io } from '../../capability.ts'
import type { ConfigurationSchema, Environment, LoadedConfiguration } from '../../runtime.ts'
import { checkModel, checkPlugins } from '../doctor/check-configuration.ts'
import { checkPort, checkToken } from '../doctor/check-gateway.ts'
import { systemClock, errorMessage } from '../../platform.ts'
import { CommandFailure } from '../failure.ts'
import { findHomeStore, withWritableStore } from '../open-store.ts'
import { note, printJson, applyStyle, programCapabilities } from '../io.ts'
import { effectiveValue, valueText } from './effective-values.ts'

/** `foreword config set KEY VALUE...` */
export async function setKey(call: CommandCall, io: Io): Promise<number> {
  const [, key = '', ...texts] = call.words
  const { parseWords } = await import('../../runtime.ts')
  const { schema } = await loaded(call, io)
  const path = await keyPath(key, schema)
  const value = parseWords(path, texts, schema)
  return await changeKey(path, value, call, io, quotingHint(key, texts, value))
}

/** `foreword config unset KEY` */
export async function unsetKey(call: CommandCall, io: Io): Promise<number> {
  const [, key = ''] = call.words
  return await changeKey(await keyPath(key, (await loaded(call, io)).schema), undefined, call, io)
}

function quotingHint(key: string, [text]: readonly string[], value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'object') return undefined
  return `If you mean the text, write it in quotes: \`foreword config set ${key} '"${text}"'\`.`
}

async function loaded({ home }: CommandCall, { environment, capabilities = [] }: Io): Promise<LoadedConfiguration> {
  const { loadConfiguration } = await import('../../runtime.ts')
  return await loadConfiguration({ home, environment, capabilities })
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
    const planned = await loadConfiguration({ home, environment, capabilities: programCapabilities(io), read })
    odd = value === undefined ? [] : await assertStartable({ home, path, planned, environment })
    await recordChange(key, value, call)
  }
  const { origins, schema } = await loaded(call, io)
  await orFailure(() => setValue({ home, clock: systemClock, schema, key: path, value, check }), hint)
  const wasSet = Object.keys(origins).some((other) => other === key || other.startsWith(`${key}.`))
  if (value === undefined && !wasSet && !call.json) {
    note(io, `${key} was not set.`)
    return 0
  }
  for (const sentence of odd) note(io, applyStyle(io, 'yellow', sentence, io.stderr))
  return await printChange(key, value, call, io)
}

/** Records the key in the audit, never the value, before the change counts. A home without a store has no audit yet. */
async function recordChange(key: string, value: unknown, { home }: CommandCall): Promise<void> {
  const kept = await findHomeStore(home)
  if (!existsSync(kept.path)) return
  const reason = `${key} ${value === undefined ? 'removed' : 'set'} with foreword config`.slice(0, MOST_REASON)
  const facts = { kind: 'change', rule: 'config.json', by: 'cli', reason } as const
  try {
    await withWritableStore(kept, (store) =>
      store.transaction([{ type: 'audit', facts, time: new Date().toISOString() }]),
    )
  } catch (error) {
    const message = `The change cannot be recorded, so nothing was written: ${errorMessage(error)}`
    const hint = 'See what is wrong with the store with `foreword doctor`.'
    throw new CommandFailure('configuration', message, { hint, cause: error })
  }
}

const MOST_REASON = 500

async function orFailure<T>(work: () => T | Promise<T>, hint?: string): Promise<T> {
  const { ConfigurationError } = await import('../../runtime.ts')
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    const expectsText = error.problems.some(({ message }) => message.startsWith('must be a text'))
    const facts = expectsText && hint !== undefined ? { hint } : {}
    throw new CommandFailure('configuration', error.message, { cause: error, ...facts })
  }
}

async function printChange(key: string, value: unknown, call: CommandCall, io: Io): Promise<number> {
  const { configurationWarnings, problemText } = await import('../../runtime.ts')
  const effective = await loaded(call, io)
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
  for (const each of near) note(io, applyStyle(io, 'yellow', problemText(each), io.stderr))
  return 0
}

interface PlannedChange {
  readonly home: string
  /** Names of the levels. */
  readonly path: readonly string[]
  readonly planned: LoadedConfiguration
  readonly environment: Environment
}

/**
 * Throws where a gateway could not start with this change or could use no model. Returns warnings, such as of a model that
 * its provider does not list. Checks only the changed key.
 */
async function assertStartable(change: PlannedChange): Promise<readonly string[]> {
  const { home, path, planned } = change
  const { configuration, problems, schema } = planned
  const { gateway } = configuration
  const key = path.join('.')
  const { factsAt } = await import('../../runtime.ts')
  if (key === 'model' || factsAt(schema.whole, path).model) return await checkModelId(change)
  if (key === 'gateway.bind') refuseProblems([await checkPort(0, gateway.bind), ...(await checkToken(home, gateway))])
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
