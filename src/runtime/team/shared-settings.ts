import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { innerSchema, settingFacts } from '../../capability.ts'
import { isObject } from '../../platform.ts'
import { isSecretKey } from '../configuration/edit.ts'
import { isKeyWithin, type KeyPath } from '../configuration/key.ts'

/** Values by name. Those of settings have their keys for names, as JSON; a list is one value. */
export type Named = Readonly<Record<string, unknown>>

/** What of a `config.json` all gateways on a database have together. */
export interface SharedSettings {
  readonly settings: Named
  /** What else is set beside them and stays on its machine, such as `apiKey` of a provider: the key of an object, and names in it. */
  readonly needs: Readonly<Record<string, readonly string[]>>
}

const nameOfKey = (path: KeyPath): string => JSON.stringify(path)
export const keyOfName = (name: string): KeyPath => JSON.parse(name) as KeyPath

/** Sections of which nothing is shared: where a gateway is and who may come in, its store, and modules that it runs. */
const OF_MACHINE = new Set(['$schema', 'gateway', 'store', 'audit', 'plugins', 'capabilities'])

/**
 * The settings of a `config.json` that belong to the team. Paths, names of variables, programs, headers, addresses of this machine and
 * everything that is or may be a secret stay with the machine, and so does what no schema knows.
 */
export function sharedSettings(
  value: unknown,
  { whole }: { readonly whole: z.ZodType },
  /** Whether a text has a secret in it that is known here. */
  hasSecret: (text: string, path: KeyPath) => boolean,
): SharedSettings {
  const settings: Record<string, unknown> = {}
  const needs: Record<string, string[]> = {}

  function visit(schema: z.ZodType | undefined, inner: unknown, path: KeyPath): void {
    if (schema === undefined || (path.length === 1 && OF_MACHINE.has(path[0]!))) return
    const { def } = innerSchema(schema) as { readonly def: Definition }
    const { ofMachine, path: place } = settingFacts(schema)
    if (place && place !== 'file') return
    const isKept = ofMachine || place || isSecretKey(path)
    if (!isKept && isObject(inner) && def.type !== 'union') return visitEach(def, inner, path)
    if (def.element && namesPlaces(def.element)) return
    if (!isKept && !hasOwnAddress(inner) && !hasSecret(JSON.stringify(inner), path)) {
      settings[nameOfKey(path)] = inner
      return
    }
    // Two names such as apiKeyEnv and apiKeyFile say the same.
    const of = nameOfKey(path.slice(0, -1))
    const name = path.at(-1)!.replace(/(?:Env|File)$/, '')
    needs[of] = [...new Set([...(needs[of] ?? []), name])]
  }

  function visitEach({ type, valueType, shape }: Definition, inner: Named, path: KeyPath): void {
    // With a program of this machine, nothing of the object is of use elsewhere.
    if (shape && Object.keys(inner).some((name) => shape[name] && settingFacts(shape[name]).ofMachine === 'with-all'))
      return
    for (const [name, each] of Object.entries(inner)) {
      visit(type === 'record' ? valueType : shape?.[name], each, [...path, name])
    }
  }

  visit(whole, value, [])
  const kept = Object.keys(settings).map(keyOfName)
  const used = Object.entries(needs).filter(([of]) => kept.some((path) => isKeyWithin(path, keyOfName(of))))
  return { settings, needs: Object.fromEntries(used) }
}

interface Definition {
  readonly type: string
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly shape?: Readonly<Record<string, z.ZodType>>
}

/** Whether values of a schema name something of a machine. */
function namesPlaces(schema: z.ZodType): boolean {
  const { ofMachine, path } = settingFacts(schema)
  const { shape, element, valueType } = (innerSchema(schema) as { readonly def: Definition }).def
  const parts = [...Object.values(shape ?? {}), ...[element, valueType].filter((each) => each !== undefined)]
  return ofMachine !== undefined || path !== undefined || parts.some(namesPlaces)
}

/** An address that is another server on each machine. */
function hasOwnAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:/i.test(value)) return false
  const hostname = URL.parse(value)?.hostname ?? ''
  return /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/i.test(hostname)
}

/** What two copies of the same values have to do to be the same again. Each has the names of values. */
export interface Merge {
  /** To be taken from there: changed there alone, or in both places. */
  readonly incoming: readonly string[]
  /** To be given there: changed here alone. */
  readonly outgoing: readonly string[]
  /** Those of `incoming` that were changed here, too. */
  readonly conflicts: readonly string[]
}

/** Compares two copies with what they were when they were last the same. A name that a copy does not have was removed there, or never was. */
export function mergeNamed(last: Named, here: Named, there: Named): Merge {
  const names = [...new Set([...Object.keys(here), ...Object.keys(there)])]
  const isSame = (one: Named, other: Named, name: string) => isDeepStrictEqual(valueOf(one, name), valueOf(other, name))
  const different = names.filter((name) => !isSame(here, there, name))
  const incoming = different.filter((name) => !isSame(there, last, name))
  return {
    incoming,
    outgoing: different.filter((name) => isSame(there, last, name)),
    conflicts: incoming.filter((name) => !isSame(here, last, name)),
  }
}

/** `undefined` where it has none. */
export function valueOf(values: Named, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** Values with some of their names as others have them. */
export function withNamed(values: Named, names: readonly string[], from: Named): Named {
  const changed = new Set(names)
  const kept = Object.entries(values).filter(([name]) => !changed.has(name))
  const taken = names.flatMap((name) => (Object.hasOwn(from, name) ? [[name, from[name]] as const] : []))
  return Object.fromEntries([...kept, ...taken].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
