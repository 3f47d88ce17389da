import { hostname } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type AnyCapability, innerSchema } from '../../capability.ts'
import { type Clock, errorMessage } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import { editJson, readText } from '../../tool.ts'
import { editValue } from '../edit-value.ts'
import { editFile } from '../home/edit-file.ts'
import { homeAt } from '../home/home.ts'
import { openHomeSecrets, secretFiles, secretVariables, writtenSecrets } from '../secrets/home-secrets.ts'
import { parseConfiguration } from '../configuration/file.ts'
import { isKeyWithin, type KeyPath, settingAt } from '../configuration/key.ts'
import { type LoadedConfiguration, loadConfiguration } from '../configuration/load.ts'
import { problemText } from '../configuration/problem.ts'
import type { ConfigurationSchema } from '../configuration/schema.ts'
import {
  keyOfName,
  type Merge,
  mergeNamed,
  type Named,
  type SharedSettings,
  sharedSettings,
  valueOf,
  withNamed,
} from './shared-settings.ts'
import { modelNameFault, unknownNames } from '../configuration/unknown-names.ts'
import type { Environment } from '../configuration/value.ts'

/** The one value of a store with the settings that all gateways on it have together. */
export const SHARED_SETTINGS = 'gateway/configuration'

const sharedRow = z.object({
  /** Grows by one with each change. */
  version: z.int(),
  settings: z.record(z.string(), z.unknown()),
  needs: z.record(z.string(), z.array(z.string()).readonly()),
  /** By machine, its last change. */
  given: z.record(z.string(), z.string()),
})

/** The settings of a team as a store has them. */
export type SharedRow = z.infer<typeof sharedRow>

const NO_ROW: SharedRow = { version: 0, settings: {}, needs: {}, given: {} }

export interface SharedHome {
  readonly home: string
  readonly environment: Environment
  /** Those of the program. */
  readonly capabilities: readonly AnyCapability[]
  readonly clock: Clock
}

/** What a comparison with the store has come to. */
export interface SharedOutcome {
  readonly version: number
  /** The settings as they were when here and the store had the same. */
  readonly last: Named
  /** Whether `config.json` was changed here. */
  readonly isChanged: boolean
  /** Whether the store has something new. */
  readonly isGiven: boolean
  /** Whether something here is not in the store: nothing was to be written. */
  readonly waits: boolean
  /** What this machine cannot use, and why, in sentences. It goes on with what it had. */
  readonly refused: readonly string[]
  /** Keys that were changed here and elsewhere. The ones from elsewhere count. */
  readonly conflicts: readonly string[]
}

/** What here and the store had when they were the same. */
export interface SharedNote {
  readonly settings: Named
  /** That of the row. */
  readonly version: number
  /** Names this machine in the row. */
  readonly machine: string
  /** What was about to be stored. A process that ended then may have stored it. */
  readonly giving?: { readonly id: string; readonly settings: Named } | undefined
}

interface ShareSteps {
  readonly looks?: boolean
  /** Called before something is stored, with what is here. */
  readonly gives?: (giving: NonNullable<SharedNote['giving']>) => Promise<void>
  /** Called with the text of the file before something in it that was changed here is replaced. */
  readonly setAside?: (text: string) => Promise<void>
}

/** The row of a store; that of version 0 where there is none. Throws where it was damaged. */
export function sharedRowOf(value: unknown): SharedRow {
  return value === undefined || value === null ? NO_ROW : sharedRow.parse(value)
}

/**
 * Makes `config.json` and the row of the store the same, as far as settings belong to the team: what was changed here alone is stored, what
 * was changed elsewhere is written into the file, one key at a time. A change that is no valid configuration here, or needs a key that this
 * machine does not have, is left out. `looks`: nothing is written anywhere.
 */
export async function shareSettings(
  at: SharedHome,
  store: Pick<SessionStore, 'value' | 'transaction'>,
  note: SharedNote,
  { looks = false, gives, setAside }: ShareSteps = {},
): Promise<SharedOutcome> {
  const file = homeAt(at.home).configurationFile
  const { settings: last, machine } = note
  const change = at.clock.newId('change')
  const before = await readText(file)
  if (before.type === 'unreadable') return nothing(note, [`config.json cannot be read: ${before.why}.`])
  const text = before.type === 'text' ? before.text : ''
  const { shared: here, problems, schema } = await settingsOf(at, text)
  if (problems.length > 0) {
    return nothing(note, [`config.json has mistakes, and nothing of it is shared. ${problemText(problems[0]!)}`])
  }
  // Nobody takes everything back at once: it is a file that is being written, or a new machine.
  const isEmpty = Object.keys(here.settings).length === 0
  const compared = (): Merge => mergeNamed(isEmpty ? {} : lastKnown(note, row), here.settings, row.settings)
  let row = sharedRowOf(await store.value(SHARED_SETTINGS))
  let merge = compared()
  const give = (value: unknown): SharedRow | undefined => {
    row = sharedRowOf(value)
    merge = compared()
    return merge.outgoing.length === 0
      ? undefined
      : { ...given(row, here, merge), given: { ...row.given, [machine]: change } }
  }
  const isGiven = merge.outgoing.length > 0
  if (!looks && isGiven) {
    const reason = `settings of config.json on ${hostname()} given to the gateways on the database`
    const audit = {
      type: 'audit',
      facts: { kind: 'change', rule: 'config.json', reason },
      time: at.clock.time(),
    } as const
    await gives?.({ id: change, settings: withNamed(last, merge.outgoing, here.settings) })
    row = (await editValue(store, SHARED_SETTINGS, give, [audit])) ?? row
  }
  const { taken, refused } = await usable(at, text, merge.incoming, row, schema)
  const conflicts = merge.conflicts.filter((name) => taken.includes(name)).map(textOfName)
  if (!looks && taken.length > 0) {
    if (conflicts.length > 0) await setAside?.(text)
    await take(at, text, taken, row, schema)
  }
  const now = withNamed(here.settings, taken, row.settings)
  const { incoming, outgoing } = mergeNamed({}, now, row.settings)
  return {
    version: row.version,
    // Where they differ still, the next comparison finds the same.
    last: withNamed(row.settings, [...incoming, ...outgoing], last),
    isChanged: taken.length > 0,
    isGiven: isGiven && !looks,
    waits: isGiven && looks,
    refused,
    conflicts,
  }
}

/** What a process that ended had stored before it did was the same here and there. */
function lastKnown({ settings, version, machine, giving }: SharedNote, row: SharedRow): Named {
  // Another database, or a copy of before: what it does not have was not removed.
  if (row.version < version) return {}
  return giving !== undefined && row.given[machine] === giving.id ? giving.settings : settings
}

function nothing({ version, settings: last }: SharedNote, refused: readonly string[]): SharedOutcome {
  return { version, last, isChanged: false, isGiven: false, waits: false, refused, conflicts: [] }
}

/** What a text of `config.json` has for the team. */
async function settingsOf(
  at: SharedHome,
  text: string,
): Promise<LoadedConfiguration & { readonly shared: SharedSettings }> {
  const { home, environment } = at
  const loaded = await loadConfiguration({ ...at, read: async () => ({ type: 'text', text }) })
  const { configuration, capabilities } = loaded
  // Modules belong to their machine.
  const problems = loaded.problems.filter(({ key }) => key !== 'capabilities')
  const secrets = await openHomeSecrets({
    home,
    environment,
    configuration,
    variables: secretVariables(capabilities),
    files: () => secretFiles(configuration),
  })
  const hasSecret = (json: string, path: readonly string[]): boolean =>
    secrets.find(json) !== undefined ||
    writtenSecrets(JSON.parse(json), path.join('.')).some(([, value]) => value !== '')
  const { value } = parseConfiguration(text)
  return { ...loaded, problems, shared: sharedSettings(structuredClone(value), loaded.schema, hasSecret) }
}

function given(row: SharedRow, here: SharedSettings, { outgoing }: Merge): Omit<SharedRow, 'given'> {
  const settings = withNamed(row.settings, outgoing, here.settings)
  const left = Object.keys(settings).map(keyOfName)
  const isLeft = (of: string) => left.some((path) => isKeyWithin(path, keyOfName(of)))
  // Who has changed something of an object says what it needs.
  const isOurs = (of: string) => outgoing.some((name) => isKeyWithin(keyOfName(name), keyOfName(of)))
  const needs = {
    ...Object.fromEntries(Object.entries(row.needs).filter(([of]) => isLeft(of) && !isOurs(of))),
    ...Object.fromEntries(Object.entries(here.needs).filter(([of]) => isOurs(of))),
  }
  return { version: row.version + 1, settings, needs }
}

/** Those of some changes with which a gateway can go on here, and why it cannot with the others. */
async function usable(
  at: SharedHome,
  text: string,
  incoming: readonly string[],
  row: SharedRow,
  schema: ConfigurationSchema,
): Promise<{ readonly taken: readonly string[]; readonly refused: readonly string[] }> {
  const refused: string[] = []
  let taken = incoming
  while (taken.length > 0) {
    const faults = await faultsOf(at, text, taken, row, schema)
    if (faults.length === 0) break
    const left = taken.filter((name) => !faults.some(({ names }) => names.includes(name)))
    refused.push(...faults.map(({ why }) => why))
    taken = left
  }
  return { taken, refused: [...new Set(refused)] }
}

/** Changes that do not fit together here, with the reason. Each fault has at least one. */
async function faultsOf(
  at: SharedHome,
  text: string,
  taken: readonly string[],
  row: SharedRow,
  schemaHere: ConfigurationSchema,
): Promise<readonly { readonly names: readonly string[]; readonly why: string }[]> {
  let after: string
  try {
    after = changed(text, taken, row.settings, schemaHere)
  } catch (error) {
    return [{ names: taken, why: `${errorMessage(error)}. Nothing that other gateways changed is taken.` }]
  }
  const loaded = await settingsOf(at, after)
  const { problems, shared, schema, configuration } = loaded
  const near = (key: string) =>
    taken
      .map((name) => [name, textOfName(name)] as const)
      .filter(([, own]) => isNear(own, key))
      .map(([name]) => name)
  const said = (key: string, message: string, hint: string) => {
    const names = near(key)
    return { names, why: `${key} of the other gateways is not used here: it ${message}. ${hint}`.trimEnd() }
  }
  const faults = [
    ...missing(at, taken, row, loaded),
    ...problems.map(({ key, message, hint }) => said(key, message, hint)),
    ...[...unknownNames(configuration, schema), ...unknownModel(loaded)].map(({ key, message, hint }) =>
      said(key, message, hint),
    ),
    ...taken
      .filter((name) => Object.hasOwn(row.settings, name) && !Object.hasOwn(shared.settings, name))
      .map((name) => said(textOfName(name), 'belongs to each machine', 'Set it in config.json here.')),
  ].filter(({ names }) => names.length > 0)
  if (faults.length > 0 || problems.length === 0) return faults
  return [{ names: taken, why: `${problemText(problems[0]!)} Nothing that other gateways changed is taken.` }]
}

function unknownModel({ configuration, knownProviders }: LoadedConfiguration) {
  const { model } = configuration
  const fault = model === undefined ? undefined : modelNameFault(model, configuration, knownProviders)
  return fault === undefined ? [] : [{ key: 'model', ...fault }]
}

/** Objects that need something of their machine, such as the key of a provider, which this one does not have. */
function missing(
  { environment }: SharedHome,
  taken: readonly string[],
  row: SharedRow,
  { configuration, knownProviders }: LoadedConfiguration,
): readonly { readonly names: readonly string[]; readonly why: string }[] {
  return Object.entries(row.needs).flatMap(([of, needs]) => {
    const path = keyOfName(of)
    const names = taken.filter((name) => Object.hasOwn(row.settings, name) && isKeyWithin(keyOfName(name), path))
    const object = path.reduce<unknown>((value, name) => (value as Named | undefined)?.[name], configuration)
    const kind = knownProviders.find((each) => path[0] === 'providers' && each.kind === (object as Named)?.['kind'])
    const isThere = (need: string): boolean =>
      [need, `${need}Env`, `${need}File`].some((name) => (object as Named | undefined)?.[name] !== undefined) ||
      (need === 'apiKey' && (kind?.environmentKeys ?? []).some((name) => environment[name])) ||
      (need === 'baseURL' && kind !== undefined && kind.needsBaseURL !== true)
    const lacks = needs.filter((need) => !isThere(need))
    if (names.length === 0 || lacks.length === 0) return []
    const key = path.join('.')
    const why = `${key} of the other gateways is not used here: this machine has no ${lacks.join(' and no ')} for it. Set ${key} in config.json here, with what is of this machine.`
    return [{ names, why }]
  })
}

/** Whether a key is in another one, as both are written with dots. */
function isNear(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`)
}

/** The text of `config.json` with some settings as the team has them. Throws where one is in the way of another. */
function changed(text: string, names: readonly string[], settings: Named, { whole }: ConfigurationSchema): string {
  const set = names.filter((name) => Object.hasOwn(settings, name))
  const removed = names.filter((name) => !Object.hasOwn(settings, name)).map(keyOfName)
  const kept = Object.keys(settings).map(keyOfName)
  // What is left of an entry of which the team has nothing more is of no use, such as the key of a provider.
  const isOver = (path: KeyPath, last: string): boolean => {
    const [only, ...others] = Object.keys((valueAt(text, path) as object | undefined) ?? {})
    if (others.length === 0 && only === last) return true
    return isEntry(whole, path) && !kept.some((each) => isKeyWithin(each, path))
  }
  const pathToRemove = (path: KeyPath): KeyPath => {
    const above = path.slice(0, -1)
    return above.length > 0 && isOver(above, path.at(-1)!) ? pathToRemove(above) : path
  }
  return editJson(text, [
    ...removed.map((path) => ({ type: 'remove' as const, path: [...pathToRemove(path)] })),
    ...set.map((name) => ({ type: 'set', path: keyOfName(name), value: settings[name] }) as const),
  ])
}

function isEntry(whole: z.ZodType, path: KeyPath): boolean {
  const of = settingAt(whole, path.slice(0, -1))
  return of !== undefined && innerSchema(of).def.type === 'record'
}

function valueAt(text: string, path: KeyPath): unknown {
  const { value } = parseConfiguration(text)
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? valueOf(at as Named, key) : undefined),
    value,
  )
}

/** Writes settings of the team into the file. What somebody changed there meanwhile stays, and is compared the next time. */
async function take(
  at: SharedHome,
  before: string,
  taken: readonly string[],
  row: SharedRow,
  schema: ConfigurationSchema,
): Promise<void> {
  const { home, clock } = at
  const isUntouched = (text: string) => (name: string) =>
    isDeepStrictEqual(valueAt(text, keyOfName(name)), valueAt(before, keyOfName(name)))
  await editFile({
    home,
    clock,
    path: homeAt(home).configurationFile,
    change: (text) => changed(text, taken.filter(isUntouched(text)), row.settings, schema),
    async check(text) {
      const { problems } = await settingsOf(at, text)
      if (problems.length > 0) throw new Error(problemText(problems[0]!))
    },
  })
}

const textOfName = (name: string): string => keyOfName(name).join('.')
