import type { AnyCapability } from '../../capability.ts'
import type { Provider } from '../../model.ts'
import { localTimeZone } from '../../platform.ts'
import { readText, type TextReader } from '../../tool.ts'
import { homeAt } from '../home/home.ts'
import { type Environment, type Override, environmentOverrides } from './value.ts'
import { type ConfigurationFile, parseConfiguration } from './file.ts'
import type { HostShape } from './host-schema.ts'
import type { KeyPath } from './key.ts'
import { loadCapabilityModules } from './load-capabilities.ts'
import { type ConfigurationProblem, type Fault, faultsFromIssues } from './problem.ts'
import { type ConfigurationSchema, configurationSchema, withoutCompiling, settingsSection } from './schema.ts'
import { checkpointTargets, targetFault } from '../checkpoints/checkpoint-targets.ts'
import { unknownEmbedders } from './unknown-names.ts'
import { type Configuration, resolveConfiguration } from './configuration.ts'

/** A configuration, what is wrong with it, and where it comes from. */
export interface LoadedConfiguration {
  /** Usable even where there are problems: what is wrong counts as not set. */
  readonly configuration: Configuration
  /** All of them. A gateway does not start before they are corrected. */
  readonly problems: readonly ConfigurationProblem[]
  /** Where each key that was set comes from: `config.json:LINE:COLUMN`, or an environment variable. Others are defaults. */
  readonly origins: Readonly<Record<string, string>>
  /** Those of the program, and behind them those that the configuration names. */
  readonly capabilities: readonly AnyCapability[]
  readonly schema: ConfigurationSchema
  readonly knownProviders: readonly Provider[]
}

export interface LoadOptions {
  readonly home: string
  readonly environment: Environment
  /** Those of the program. The modules that the configuration names are loaded behind them. */
  readonly capabilities: readonly AnyCapability[]
  /** IANA name, for the date in prompts where the configuration names none. The machine's unless given. */
  readonly timeZone?: string
  readonly read?: TextReader
}

/** Reads `config.json` and the environment over it. Never rejects: what is wrong is among the problems. */
export async function loadConfiguration(options: LoadOptions): Promise<LoadedConfiguration> {
  const { home, environment, read = readText } = options
  const found = await read(homeAt(home).configurationFile)
  const file = parseConfiguration(found.type === 'text' ? found.text : '')
  const unreadable: readonly ConfigurationProblem[] =
    found.type === 'unreadable'
      ? [{ key: '', place: 'config.json', message: `the file cannot be read: ${found.why}`, hint: '' }]
      : []
  const { schema, faults: ofModules } = await wholeSchema(options, file)
  const { capabilities, providers } = schema
  const overrides = environmentOverrides(environment, schema)
  const { shape, faults } = checkValue(withOverrides(file.value, overrides), schema)
  const places = placeFinder(file, overrides)
  const surroundings = { home, userFolder: environment['HOME'], timeZone: options.timeZone ?? localTimeZone() }
  const configuration = resolveConfiguration(shape, schema, surroundings)
  return {
    configuration,
    problems: [
      ...unreadable,
      ...file.problems,
      ...[...ofModules, ...faults, ...checkpointFaults(configuration, options)].map((fault) => ({
        key: fault.path.join('.'),
        place: places(fault.path),
        message: fault.message,
        hint: fault.hint,
      })),
    ].toSorted((left, right) => left.place.localeCompare(right.place, 'en', { numeric: true })),
    origins: keyOrigins(file, overrides, places),
    capabilities,
    schema,
    knownProviders: providers,
  }
}

/** Checkpoints that are kept where what they prove is, or where a model could write them, prove nothing. */
function checkpointFaults(
  { audit, agent }: Configuration,
  { home, environment }: Pick<LoadOptions, 'home' | 'environment'>,
): readonly Fault[] {
  return checkpointTargets(audit.checkpoints, { home, environment }).flatMap((target) => {
    const fault = targetFault(target, home, agent.workspace)
    const hint = 'Name a file or repository elsewhere.'
    return fault === undefined ? [] : [{ path: ['audit', 'checkpoints'], message: `${target.name} ${fault}`, hint }]
  })
}

/** What the file may contain depends on the capabilities that it names. */
async function wholeSchema(
  { home, environment, capabilities }: LoadOptions,
  file: ConfigurationFile,
): Promise<{ readonly schema: ConfigurationSchema; readonly faults: readonly Fault[] }> {
  const first = configurationSchema(capabilities)
  const named = environmentOverrides(environment, first).find(({ path }) => path.join('.') === 'capabilities')
  const names: unknown = named ? named.value : file.value['capabilities']
  if (!Array.isArray(names) || names.length === 0) return { schema: first, faults: [] }
  const modules = names.filter((name): name is string => typeof name === 'string' && name !== '')
  const loaded = await loadCapabilityModules(modules, home, first)
  return {
    schema: loaded.capabilities.length === 0 ? first : configurationSchema([...capabilities, ...loaded.capabilities]),
    faults: loaded.faults.map((fault) => ({ path: ['capabilities'], ...fault })),
  }
}

/** The faults of a whole value, and the value without the keys that are at fault. */
export function checkValue(
  value: unknown,
  schema: Pick<ConfigurationSchema, 'whole' | 'json' | 'capabilities'>,
): { readonly shape: HostShape; readonly faults: readonly Fault[] } {
  const first = schema.whole.safeParse(value, { reportInput: true, ...withoutCompiling })
  const faults = [
    ...(first.success ? [] : faultsFromIssues(first.error.issues, schema.json)),
    ...unknownEmbedders(value, schema),
  ]
  if (first.success && faults.length === 0) return { shape: first.data, faults }
  return { shape: withoutFaults(value, faults, schema), faults }
}

/** What is left of a value. Where a required key is removed, what requires it is removed too. */
function withoutFaults(
  value: unknown,
  faults: readonly Fault[],
  { whole, json, capabilities }: Pick<ConfigurationSchema, 'whole' | 'json' | 'capabilities'>,
): HostShape {
  const rest: unknown = structuredClone(value)
  for (const { path } of faults) remove(rest, path)
  const second = whole.safeParse(rest, withoutCompiling)
  if (second.success) return second.data
  for (const { path } of faultsFromIssues(second.error.issues, json)) remove(rest, path)
  const third = whole.safeParse(rest, withoutCompiling)
  return third.success ? third.data : shapeWithoutRequired(rest, capabilities)
}

/** The rest of a value if a capability has settings without a default: its section is removed. */
function shapeWithoutRequired(value: unknown, capabilities: readonly AnyCapability[]): HostShape {
  const isComplete = ({ settings }: AnyCapability) =>
    settings === undefined || [undefined, {}].some((empty) => settings.schema.safeParse(empty).success)
  for (const each of capabilities) if (!isComplete(each)) remove(value, settingsSection(each).split('.'))
  const { whole } = configurationSchema(capabilities.filter(isComplete))
  const read = whole.safeParse(value)
  return read.success ? read.data : whole.parse({})
}

function withOverrides(value: Readonly<Record<string, unknown>>, overrides: readonly Override[]): unknown {
  const result: Record<string, unknown> = structuredClone(value)
  for (const override of overrides) {
    let folder = result
    for (const name of override.path.slice(0, -1)) {
      if (typeof folder[name] !== 'object' || folder[name] === null) folder[name] = {}
      folder = folder[name] as Record<string, unknown>
    }
    folder[override.path.at(-1)!] = override.value
  }
  return result
}

function placeFinder(file: ConfigurationFile, overrides: readonly Override[]): (path: KeyPath) => string {
  const variables = new Map(overrides.map(({ path, variable }) => [path.join('.'), variable]))
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const variable = variables.get(path.slice(0, length).join('.'))
      if (variable !== undefined) return variable
    }
    return file.findPlace(path)
  }
}

function keyOrigins(
  file: ConfigurationFile,
  overrides: readonly Override[],
  findPlace: (path: KeyPath) => string,
): Readonly<Record<string, string>> {
  const paths = [...leaves(file.value), ...overrides.map(({ path }) => path)]
  return Object.fromEntries(paths.map((path) => [path.join('.'), findPlace(path)]))
}

function leaves(value: unknown, path: KeyPath = []): readonly KeyPath[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
}

/** Takes out what is at fault; where something is missing, what misses it. */
function remove(value: unknown, path: KeyPath): void {
  const trail: { readonly folder: Record<string, unknown>; readonly name: string }[] = []
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null) break
    trail.push({ folder: at as Record<string, unknown>, name })
    at = (at as Record<string, unknown>)[name]
  }
  // A faulty item removes its whole list: the rest would be a list that no file contains.
  const list = trail.findIndex(({ folder }) => Array.isArray(folder))
  const last = list === -1 ? trail.findLast(({ folder, name }) => Object.hasOwn(folder, name)) : trail[list - 1]
  if (last) delete last.folder[last.name]
}
