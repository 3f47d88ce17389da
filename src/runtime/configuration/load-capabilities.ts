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

type MemberKind = keyof typeof isKind

/** What each member must be, or the members of a part. The type makes the compiler ask for a member that is added to the contract. */
type MemberKinds = {
  readonly [Member in keyof AnyCapability]-?: MemberKind | PartKinds<NonNullable<AnyCapability[Member]>>
}
type PartKinds<Part> = Part extends string | readonly unknown[] | ((...given: never[]) => unknown)
  ? never
  : { readonly [Member in keyof Part]-?: MemberKind }

const isKind = {
  function: (value: unknown) => typeof value === 'function',
  list: Array.isArray,
  object: isObject,
  text: (value: unknown) => typeof value === 'string' && value !== '',
  'schema of zod 4': (value: unknown) => isObject(value) && '_zod' in value,
}

const memberKinds: MemberKinds = {
  name: 'text',
  summary: 'text',
  settings: { schema: 'schema of zod 4', key: 'text', warnings: 'function', ofPerson: 'function' },
  home: { places: 'function', folders: 'function', indexes: 'list', unconfined: 'function' },
  commands: 'object',
  slashCommands: 'object',
  notices: { tool: 'function', pairing: 'function' },
  checks: 'function',
  reports: { costGroups: 'object', lint: 'object' },
  models: { providers: 'list', embedders: 'list' },
  layouts: 'list',
  start: 'function',
  stop: 'function',
  lifecycle: { ready: 'function', recover: 'function', reload: 'function', idle: 'function' },
  status: { warnings: 'function', facts: 'function', startLine: 'function' },
  sessions: { choices: 'object', started: 'function', deleted: 'function', conversation: 'function' },
  layers: 'function',
  placeholders: 'function',
  tools: 'function',
  promptBlocks: 'function',
  turn: 'function',
  pins: 'function',
  http: { routes: 'function', raw: 'function', errors: 'list' },
  mcp: { definitions: 'function', open: 'function' },
  channels: 'function',
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
  if (isObject(settings) && !Object.hasOwn(settings, 'schema'))
    throw new Error(`the "settings" of ${name} must have a "schema"`)
  checkMembers(value, memberKinds, name)
  return value as unknown as AnyCapability
}

function checkMembers(value: object, kinds: Readonly<Record<string, MemberKind | object>>, name: string, part = '') {
  for (const [key, member] of Object.entries(value)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined
    if (kind === undefined)
      throw new Error(`"${part}${key}" of ${name} is not a member of a capability${hintFor(key, kinds)}`)
    if (member === undefined) continue
    const isPart = typeof kind === 'object'
    const must = isPart ? 'object' : kind
    if (!isKind[must](member)) {
      const hint = part === '' ? formerHint(key) : undefined
      throw new Error(`the "${part}${key}" of ${name} must be ${must === 'object' ? 'an' : 'a'} ${must}${hint ?? ''}`)
    }
    if (isPart) checkMembers(member as object, kind as typeof kinds, name, `${key}.`)
  }
}

/** A member that belongs into a part is named with it. */
function hintFor(key: string, kinds: object): string {
  const former = kinds === memberKinds ? formerHint(key) : undefined
  if (former !== undefined) return former
  const part = Object.entries(kinds).find(([, kind]) => isObject(kind) && Object.hasOwn(kind, key))
  const near = part ? `${part[0]}.${key}` : nearestName(key, Object.keys(kinds))
  return near === undefined ? '' : `; did you mean "${near}"?`
}

function formerHint(key: string): string | undefined {
  return Object.hasOwn(formerMembers, key) ? `; ${formerMembers[key]}` : undefined
}

const now = (member: string): string => `it is "${member}" now`

/** Members before decision 150, where the name does not lead to the present one by itself. */
const formerMembers: Readonly<Record<string, string>> = {
  version: 'leave it out',
  settingsKey: now('settings.key'),
  settingsWarnings: now('settings.warnings'),
  settingsOfPerson: now('settings.ofPerson'),
  homeFolders: now('home.folders'),
  toolNotice: now('notices.tool'),
  pairingNotice: now('notices.pairing'),
  session: now('sessions.choices'),
  sessionStarted: now('sessions.started'),
  sessionDeleted: now('sessions.deleted'),
  warnings: now('status.warnings'),
  status: 'a function that gives facts is "status.facts" now',
  withheld: 'each of its "pins" has it now',
  accept: 'each of its "pins" has it now',
  turnTools: 'they are among its "tools" now, with "offeredIn"',
  rawEndpoints: now('http.raw'),
  errorFormat: now('http.errors'),
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
    throw new Error(`its settings would be at ${section}, which is a key already; give it another settings.key`)
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
  'session choice': ({ sessions }) => Object.keys(sessions?.choices ?? {}),
  provider: ({ models }) => models?.providers?.map(({ kind }) => kind) ?? [],
  'kind of embedding model': ({ models }) => models?.embedders?.map(({ kind }) => kind) ?? [],
  layout: ({ layouts: own = [] }) => own.map((each) => each.name),
}

const hostNames: Readonly<Record<string, readonly string[]>> = {
  command: hostCommands,
  layout: Object.keys(layouts),
}
