import type { CommandCall, Finding, Io } from '../../capability.ts'
import type { ConfigurationSchema, Environment, LoadedConfiguration } from '../../runtime.ts'
import { checkModel, checkPlugins } from '../doctor/check-configuration.ts'
import { checkPort, checkToken } from '../doctor/check-gateway.ts'
import { CommandFailure, refuseTools } from '../failure.ts'
import { note, printJson, applyStyle } from '../io.ts'
import { effectiveValue, valueText } from './effective-values.ts'

/** `foreword config set KEY VALUE...` */
export async function setKey(call: CommandCall, io: Io): Promise<number> {
  refuseTools(io, 'change the configuration')
  const [, key = '', ...texts] = call.words
  const { parseWords } = await import('../../runtime.ts')
  const { schema } = await loaded(call, io)
  const path = await pathOf(key, schema)
  const value = parseWords(path, texts, schema)
  return await changeKey(path, value, call, io, quotingMend(key, texts, value))
}

/** `foreword config unset KEY` */
export async function unsetKey(call: CommandCall, io: Io): Promise<number> {
  refuseTools(io, 'change the configuration')
  const [, key = ''] = call.words
  return await changeKey(await pathOf(key, (await loaded(call, io)).schema), undefined, call, io)
}

/** What may be meant where a text was due and JSON of another kind was written. */
function quotingMend(key: string, [text]: readonly string[], value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'object') return undefined
  return `If you mean the text, write it in quotes: \`foreword config set ${key} '"${text}"'\`.`
}

async function loaded({ home }: CommandCall, { environment, capabilities = [] }: Io): Promise<LoadedConfiguration> {
  const { loadConfiguration } = await import('../../runtime.ts')
  return await loadConfiguration({ home, environment, capabilities })
}

async function pathOf(key: string, schema: ConfigurationSchema): Promise<readonly string[]> {
  const { configurationKey } = await import('../../runtime.ts')
  return await orFailure(() => configurationKey(key, schema))
}

/** Writes what is read back as it was meant, and what a gateway could start with; else nothing. */
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
  // The file is checked, not what the environment says over it.
  const environment = { ...io.environment, [variableName(path)]: undefined }
  let odd: readonly string[] = []
  const check = async (text: string) => {
    const read = () => Promise.resolve({ type: 'text' as const, text })
    const planned = await loadConfiguration({ home, environment, capabilities: io.capabilities ?? [], read })
    odd = value === undefined ? [] : await assertStartable({ home, path, planned, environment })
  }
  const { origins, schema } = await loaded(call, io)
  await orFailure(() => setValue({ home, schema, key: path, value, check }), hint)
  const wasSet = Object.keys(origins).some((other) => other === key || other.startsWith(`${key}.`))
  if (value === undefined && !wasSet && !call.json) {
    note(io, `${key} was not set.`)
    return 0
  }
  for (const sentence of odd) note(io, applyStyle(io, 'yellow', sentence, io.stderr))
  return await tellChange(key, value, call, io)
}

async function orFailure<T>(work: () => T | Promise<T>, hint?: string): Promise<T> {
  const { ConfigurationError } = await import('../../runtime.ts')
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    const ofKind = error.problems.some(({ message }) => message.startsWith('must be a text'))
    const facts = ofKind && hint !== undefined ? { hint } : {}
    throw new CommandFailure('configuration', error.message, { cause: error, ...facts })
  }
}

/** What is in force at the next start, and what is odd about this key then. */
async function tellChange(key: string, value: unknown, call: CommandCall, io: Io): Promise<number> {
  const { configurationWarnings, problemText } = await import('../../runtime.ts')
  const inForce = await loaded(call, io)
  const now = effectiveValue(key, inForce)
  const next = now.value === undefined ? '' : ` The next start uses ${valueText(now.value)}.`
  if (call.json) printJson(io, now)
  else if (value === undefined) note(io, `Removed ${key} from config.json.${next}`)
  else note(io, `Set ${key} to ${valueText(now.value)}. It takes effect at the next start.`)
  if (now.origin === 'environment') note(io, `The environment variable ${now.place} is set and goes before the file.`)
  const odd = await configurationWarnings(inForce, io.environment)
  const near = odd.filter(
    (each) => each.key === key || each.key.startsWith(`${key}.`) || key.startsWith(`${each.key}.`),
  )
  for (const each of near) note(io, applyStyle(io, 'yellow', problemText(each), io.stderr))
  return 0
}

/** A configuration as it would be after a change of one key. */
interface PlannedChange {
  readonly home: string
  /** Names of the levels. */
  readonly path: readonly string[]
  readonly planned: LoadedConfiguration
  readonly environment: Environment
}

/**
 * Throws where a gateway could not start with this change, or could use no model. Answers what is odd about it all the
 * same, such as a model that its provider does not list. Looks at the changed key alone.
 */
async function assertStartable(change: PlannedChange): Promise<readonly string[]> {
  const { home, path, planned } = change
  const { configuration, problems, schema } = planned
  const { gateway } = configuration
  const key = path.join('.')
  const { factsAt } = await import('../../runtime.ts')
  if (key === 'model' || factsAt(schema.whole, path).model) return await checkModelOf(change)
  if (key === 'gateway.bind') refuseProblems([await checkPort(0, gateway.bind), ...(await checkToken(home, gateway))])
  const broken = key === 'capabilities' ? problems.find((problem) => problem.key === key) : undefined
  if (broken) throw refused(`${key} ${broken.message}.`, broken.hint)
  if (key === 'plugins') refuseProblems(await checkPlugins(home, configuration))
  return []
}

/** Throws for what can be the id of no model. Answers what is odd about one that can. */
async function checkModelOf({ path, planned, environment }: PlannedChange): Promise<readonly string[]> {
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
  } = await checkModel(createModels({ known, providers, models, environment }), id, waysToAttach(known))
  return level === 'ok' ? [] : [`${message}. ${hint}`.trimEnd()]
}

function refuseProblems(findings: readonly Finding[]): void {
  const first = findings.find(({ level }) => level === 'problem')
  if (first) throw refused(`${first.message}.`.replace(/\.\.$/, '.'), first.hint)
}

function refused(why: string, hint: string | undefined): CommandFailure {
  return new CommandFailure('configuration', `nothing was changed: ${why}`, { hint })
}
