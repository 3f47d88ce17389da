import { type AnyCapability, hostCommands } from '../../capability.ts'
import { layouts } from '../../context.ts'
import { errorMessage, nearestName, isObject } from '../../platform.ts'
import { importDefault } from '../load-module.ts'
import { schemaAt } from './key.ts'
import type { Fault } from './problem.ts'
import { type ConfigurationSchema, configurationSchema, settingsSection } from './schema.ts'

export interface CapabilitySetting {
  readonly home: string
}

/** What the module of capabilities exports by default. */
export type CapabilityModule =
  | AnyCapability
  | readonly AnyCapability[]
  | ((
      setting: CapabilitySetting,
    ) => AnyCapability | readonly AnyCapability[] | Promise<AnyCapability | readonly AnyCapability[]>)

/** The capabilities of modules, and what is wrong with those that cannot be used, behind the name of the key. */
interface LoadedCapabilities {
  readonly capabilities: readonly AnyCapability[]
  readonly faults: readonly Pick<Fault, 'message' | 'hint'>[]
}

/** Loads modules of capabilities in order. Never rejects. `before` is what may be configured without them. */
export async function loadCapabilityModules(
  names: readonly string[],
  home: string,
  before: ConfigurationSchema,
): Promise<LoadedCapabilities> {
  let schema = before
  const faults: Pick<Fault, 'message' | 'hint'>[] = []
  const capabilities: AnyCapability[] = []
  for (const name of names) {
    try {
      for (const capability of await loadModule(name, home)) {
        assertFits(capability, schema)
        const next = configurationSchema([...schema.capabilities, capability])
        capabilities.push(capability)
        schema = next
      }
    } catch (error) {
      const message = `names ${name}, which cannot be used: ${errorMessage(error)}`
      faults.push({ message, hint: 'Correct it, or remove it from capabilities.' })
    }
  }
  return { capabilities, faults }
}

async function loadModule(name: string, home: string): Promise<readonly AnyCapability[]> {
  const exported = await importDefault(name, home)
  if (exported === undefined) {
    throw new Error('its module has no default export; export a capability, or a function that makes one')
  }
  const made: unknown =
    typeof exported === 'function' ? await (exported as (setting: CapabilitySetting) => unknown)({ home }) : exported
  return (Array.isArray(made) ? made : [made]).map(checkCapability)
}

type MemberKind = 'function' | 'list' | 'object' | 'object or list' | 'text'

/** What each member of a capability must be. The type makes the compiler ask for a member that is added to the contract. */
const memberKinds: Readonly<Record<Exclude<keyof AnyCapability, 'name' | 'settings'>, MemberKind>> = {
  settingsWarnings: 'function',
  checks: 'function',
  lint: 'object',
  costGroups: 'object',
  places: 'function',
  homeFolders: 'function',
  settingsOfPerson: 'function',
  unconfined: 'function',
  start: 'function',
  layers: 'function',
  tools: 'function',
  promptBlocks: 'function',
  turn: 'function',
  placeholders: 'function',
  routes: 'function',
  rawEndpoints: 'function',
  channels: 'function',
  ready: 'function',
  recover: 'function',
  reload: 'function',
  sessionStarted: 'function',
  sessionDeleted: 'function',
  withheld: 'function',
  accept: 'function',
  warnings: 'function',
  status: 'function',
  idle: 'function',
  stop: 'function',
  startLine: 'function',
  turnTools: 'function',
  conversation: 'function',
  toolNotice: 'function',
  pairingNotice: 'function',
  providers: 'list',
  layouts: 'list',
  embedders: 'list',
  indexes: 'list',
  session: 'object',
  commands: 'object',
  slashCommands: 'object',
  mcp: 'object',
  errorFormat: 'object or list',
  version: 'text',
  summary: 'text',
  settingsKey: 'text',
}
const members: readonly string[] = ['name', 'settings', ...Object.keys(memberKinds)]

const isKind: Readonly<Record<MemberKind, (value: unknown) => boolean>> = {
  function: (value) => typeof value === 'function',
  list: Array.isArray,
  object: isObject,
  'object or list': (value) => isObject(value) || Array.isArray(value),
  text: (value) => typeof value === 'string' && value !== '',
}

/** A capability may come from somebody whom no compiler has watched. */
function checkCapability(value: unknown): AnyCapability {
  if (!isObject(value)) throw new Error('it is not an object with a name')
  const { name, settings } = value
  if (typeof name !== 'string' || name === '') throw new Error('its "name" must be a string')
  if (!/^[a-z][\w-]*$/i.test(name)) {
    throw new Error(
      `its name "${name}" must begin with a letter and consist of letters, digits, hyphens and underscores`,
    )
  }
  const fault = (key: string, must: string) => new Error(`the "${key}" of ${name} must be ${must}`)
  for (const [key, kind] of Object.entries(memberKinds)) {
    if (value[key] !== undefined && !isKind[kind](value[key]))
      throw fault(key, kind.startsWith('object') ? `an ${kind}` : `a ${kind}`)
  }
  if (settings !== undefined && !(isObject(settings) && '_zod' in settings))
    throw fault('settings', 'a schema of zod 4')
  const unknown = Object.keys(value).find((key) => !members.includes(key))
  if (unknown !== undefined) {
    const near = nearestName(unknown, members)
    const hint = near === undefined ? '' : `; did you mean "${near}"?`
    throw new Error(`"${unknown}" of ${name} is not a member of a capability${hint}`)
  }
  return value as unknown as AnyCapability
}

function assertFits(capability: AnyCapability, schema: ConfigurationSchema): void {
  const { name, settings } = capability
  if (schema.capabilities.some((other) => other.name === name)) {
    throw new Error(`there is a capability ${name} already; give it another name`)
  }
  const section = settingsSection(capability)
  const path = section.split('.')
  const taken = path.some((_, index) => {
    const found = schemaAt(path.slice(0, index + 1), schema.json)
    return found !== undefined && (index === path.length - 1 || found.properties === undefined)
  })
  if (settings !== undefined && taken) {
    throw new Error(`its settings would be at ${section}, which is a key already; give it another settingsKey`)
  }
  for (const [kind, namesIn] of Object.entries(namedThings)) {
    const owners = new Map((hostNames[kind] ?? []).map((each) => [each, 'Foreword itself']))
    for (const other of schema.capabilities)
      for (const each of namesIn(other)) owners.set(each, `the capability ${other.name}`)
    for (const each of namesIn(capability)) {
      const owner = owners.get(each)
      if (owner !== undefined)
        throw new Error(`the ${kind} ${each} of ${name} is also a ${kind} of ${owner}; give it another name`)
      owners.set(each, `the capability ${name}`)
    }
  }
}

/** What a capability brings by name: each name is there once, so that none is replaced unseen. */
const namedThings: Readonly<Record<string, (value: AnyCapability) => readonly string[]>> = {
  command: ({ commands = {} }) => Object.keys(commands),
  'slash command': ({ slashCommands = {} }) => Object.keys(slashCommands),
  'session choice': ({ session = {} }) => Object.keys(session),
  provider: ({ providers = [] }) => providers.map(({ kind }) => kind),
  'kind of embedding model': ({ embedders = [] }) => embedders.map(({ kind }) => kind),
  layout: ({ layouts: own = [] }) => own.map((each) => each.name),
}

const hostNames: Readonly<Record<string, readonly string[]>> = {
  command: hostCommands,
  layout: Object.keys(layouts),
}
