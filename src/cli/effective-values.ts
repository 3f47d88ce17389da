import { defined, publicAddress, isObject } from '../platform.ts'
import type { LoadedConfiguration } from '../runtime.ts'

export interface EffectiveValue {
  readonly key: string
  /** Absent where it is not set and has no default. `(set)` in place of a secret. */
  readonly value?: unknown
  readonly origin: 'default' | 'file' | 'environment'
  /** `config.json:LINE:COLUMN`, or the environment variable. */
  readonly place?: string
}

const HIDDEN = '(set)'

/** The addresses of checkpoints may contain a password or a token. */
const ADDRESSES = 'audit.checkpoints'

/** Other addresses may contain a name, a password or a key, too. */
const ADDRESS_KEY = /(?:^|\.)(?:baseURL|url)$|^store(?:\.address)?$/i

/** Headers may contain a key, so only their names are shown. */
function isSecret(key: string): boolean {
  return key === 'gateway.token' || /^providers\..+\.headers\./.test(key)
}

/** The value of every key of the schema and of every entry of a map, in the order of the schema. */
export function effectiveValues(loaded: LoadedConfiguration, schema: unknown): readonly EffectiveValue[] {
  const { configuration, origins } = loaded
  const keys = new Set([...schemaKeys(schema), ...leafKeys(configuration), ...Object.keys(origins)])
  const parents = [...keys].flatMap((key) => key.split('.').map((_, index, words) => words.slice(0, index).join('.')))
  const folders = new Set(parents)
  return [...keys]
    .filter((key) => key !== '' && !key.startsWith('$') && !folders.has(key))
    .map((key) => effectiveValue(key, loaded))
}

export function effectiveValue(key: string, { configuration, origins }: LoadedConfiguration): EffectiveValue {
  const value = valueAt(configuration, key)
  const place = origins[key] ?? Object.entries(origins).find(([other]) => other.startsWith(`${key}.`))?.[1]
  return {
    key,
    ...(value === undefined ? {} : { value: isSecret(key) ? HIDDEN : hideSecrets(key, value) }),
    origin: place === undefined ? 'default' : place.startsWith('config.json') ? 'file' : 'environment',
    ...defined({ place }),
  }
}

export function hideSecrets(key: string, value: unknown): unknown {
  if (key === ADDRESSES && Array.isArray(value)) return value.map((each) => publicAddress(String(each)))
  if (typeof value === 'string' && ADDRESS_KEY.test(key)) return publicAddress(value)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const path = key === '' ? name : `${key}.${name}`
      return [name, isSecret(path) && inner !== undefined ? HIDDEN : hideSecrets(path, inner)]
    }),
  )
}

/** Names in maps, such as ids of models, may contain dots. The longest existing name is used. */
function valueAt(value: unknown, key: string): unknown {
  if (key === '') return value
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, key)) return value[key]
  for (let end = key.lastIndexOf('.'); end > 0; end = key.lastIndexOf('.', end - 1)) {
    const name = key.slice(0, end)
    if (Object.hasOwn(value, name)) return valueAt(value[name], key.slice(end + 1))
  }
  return undefined
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
}

/** A value on one line; `-` where it is not set. */
export function valueText(value: unknown): string {
  if (value === undefined) return '-'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Every key of a JSON Schema that has a value; a map is one key. */
export function schemaKeys(schema: unknown, before: readonly string[] = []): readonly string[] {
  const { properties } = schema as Schema
  if (properties === undefined) return [before.join('.')]
  return Object.entries(properties).flatMap(([name, inner]) => schemaKeys(inner, [...before, name]))
}

function leafKeys(value: unknown, before: readonly string[] = []): readonly string[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [before.join('.')]
  return Object.entries(value).flatMap(([name, inner]) => leafKeys(inner, [...before, name]))
}
