import { type KeySchema, keySchema } from './json-schema.ts'

/** A key of the configuration, one name per level, such as `['gateway', 'port']`. */
export type KeyPath = readonly string[]

/** Every key that holds a value of its own and is no entry of a map, such as `gateway.port` and `model`. */
export function plainKeys(schema: KeySchema = keySchema, path: KeyPath = []): readonly KeyPath[] {
  if (schema.properties === undefined) return typeof schema.additionalProperties === 'object' ? [] : [path]
  return Object.entries(schema.properties)
    .filter(([name]) => name !== '$schema')
    .flatMap(([name, inner]) => plainKeys(inner, [...path, name]))
}

/** What the schema says of a key; `undefined` where there is no such key. */
export function schemaAt(path: KeyPath, schema: KeySchema = keySchema): KeySchema | undefined {
  const [name, ...rest] = path
  if (name === undefined) return schema
  for (const branch of [schema, ...(schema.anyOf ?? [])]) {
    const inner = Object.hasOwn(branch.properties ?? {}, name) ? branch.properties![name] : branch.additionalProperties
    if (inner) return schemaAt(rest, inner)
  }
  return undefined
}

/** The keys that may stand beside each other at a path; empty where any name may. */
export function namesAt(path: KeyPath): readonly string[] {
  const schema = schemaAt(path)
  return [schema, ...(schema?.anyOf ?? [])].flatMap((branch) => Object.keys(branch?.properties ?? {}))
}

/**
 * The path of a key that is written with dots. Names in maps may hold dots themselves, as in
 * `models.ollama/llama3.2.window`. `undefined` where there is no such key.
 */
export function keyPathOf(key: string): KeyPath | undefined {
  return resolve(key.split('.'), keySchema)
}

function resolve(words: readonly string[], schema: KeySchema): KeyPath | undefined {
  const [first, ...rest] = words
  if (first === undefined) return []
  if (first === '') return undefined
  for (const branch of [schema, ...(schema.anyOf ?? [])]) {
    const inner = Object.hasOwn(branch.properties ?? {}, first) ? branch.properties![first] : undefined
    const found = inner && resolve(rest, inner)
    if (found) return [first, ...found]
    if (typeof branch.additionalProperties !== 'object') continue
    const entry = resolveEntry(words, branch.additionalProperties)
    if (entry) return entry
  }
  return undefined
}

/** The longest name that leaves a known key behind it; else everything is the name. */
function resolveEntry(words: readonly string[], schema: KeySchema): KeyPath | undefined {
  for (let length = words.length - 1; length > 0; length--) {
    const rest = resolve(words.slice(length), schema)
    if (rest) return [words.slice(0, length).join('.'), ...rest]
  }
  return [words.join('.')]
}
