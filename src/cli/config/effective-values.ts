import { defined } from '../../platform.ts'
import type { LoadedConfiguration } from '../../runtime.ts'

/** One key of the configuration as it is in force. */
export interface EffectiveValue {
  readonly key: string
  /** Absent: nobody set it and it has no default. A secret is shown as `(set)`. */
  readonly value?: unknown
  readonly origin: 'default' | 'file' | 'environment'
  /** `config.json:LINE:COLUMN`, or the environment variable. */
  readonly place?: string
}

/** What is shown instead of a secret. */
const HIDDEN = '(set)'

/** Headers may carry a key: their names are shown, their values never. */
function isSecret(key: string): boolean {
  return key === 'gateway.token' || /^providers\..+\.headers\./.test(key)
}

/** Every key of the schema and every entry that was added to a map, in the schema's order. */
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
    origin: originOf(place),
    ...defined({ place }),
  }
}

function originOf(place: string | undefined): EffectiveValue['origin'] {
  if (place === undefined) return 'default'
  return place.startsWith('config.json') ? 'file' : 'environment'
}

/** A value of this key as it may be shown; the whole configuration where the key is empty. */
export function hideSecrets(key: string, value: unknown): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const path = key === '' ? name : `${key}.${name}`
      return [name, isSecret(path) && inner !== undefined ? HIDDEN : hideSecrets(path, inner)]
    }),
  )
}

/** Names in maps may hold dots themselves, such as a model's: the longest one that is there is meant. */
function valueAt(value: unknown, key: string): unknown {
  if (key === '') return value
  if (!isRecord(value)) return undefined
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

/** On one line; `-` where there is none. */
export function valueText(value: unknown): string {
  if (value === undefined) return '-'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Every key of a JSON Schema that holds a value of its own; maps count as one. */
export function schemaKeys(schema: unknown, before: readonly string[] = []): readonly string[] {
  const { properties } = schema as Schema
  if (properties === undefined) return [before.join('.')]
  return Object.entries(properties).flatMap(([name, inner]) => schemaKeys(inner, [...before, name]))
}

function leafKeys(value: unknown, before: readonly string[] = []): readonly string[] {
  if (!isRecord(value) || Object.keys(value).length === 0) return [before.join('.')]
  return Object.entries(value).flatMap(([name, inner]) => leafKeys(inner, [...before, name]))
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
