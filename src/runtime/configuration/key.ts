import type { z } from 'zod'
import { innerSchema, type SettingFacts, settingFacts } from '../../capability.ts'

/** A JSON Schema, as far as keys are looked up in it. */
export interface KeySchema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, KeySchema>>
  readonly additionalProperties?: KeySchema | false
  readonly anyOf?: readonly KeySchema[]
  readonly enum?: readonly unknown[]
  readonly items?: KeySchema
}

/** A key of the configuration, one name per level, such as `['gateway', 'port']`. */
export type KeyPath = readonly string[]

/** Whether a key is another one, or in it. */
export function isKeyWithin(inner: KeyPath, outer: KeyPath): boolean {
  return outer.every((name, index) => inner[index] === name)
}

/** A key with a value of its own, and the environment variables that set it: the first that is set counts. */
export interface PlainKey {
  readonly path: KeyPath
  readonly variables: readonly string[]
}

/** Every key that has a value of its own and is not an entry of a map, such as `gateway.port` and `model`. */
export function plainKeys(schema: z.ZodType, path: KeyPath = []): readonly KeyPath[] {
  const { def } = innerSchema(schema) as { readonly def: InnerDefinition }
  if (def.shape === undefined) return def.type === 'record' ? [] : [path]
  return Object.entries(def.shape)
    .filter(([name]) => name !== '$schema')
    .flatMap(([name, inner]) => plainKeys(inner, [...path, name]))
}

/** The schema of a key; `undefined` where there is no such key. The items of a list have numbers for names. */
export function schemaAt(path: KeyPath, schema: KeySchema): KeySchema | undefined {
  const [name, ...rest] = path
  if (name === undefined) return schema
  for (const branch of [schema, ...(schema.anyOf ?? [])]) {
    const inner = Object.hasOwn(branch.properties ?? {}, name) ? branch.properties![name] : entrySchema(branch, name)
    if (inner) return schemaAt(rest, inner)
  }
  return undefined
}

function entrySchema({ items, additionalProperties }: KeySchema, name: string): KeySchema | false | undefined {
  return items && /^\d+$/.test(name) ? items : additionalProperties
}

/** The keys that are possible at a path; empty where any name may. */
export function namesAt(path: KeyPath, whole: KeySchema): readonly string[] {
  const schema = schemaAt(path, whole)
  return [schema, ...(schema?.anyOf ?? [])].flatMap((branch) => Object.keys(branch?.properties ?? {}))
}

/**
 * The path of a key that is written with dots. Names in maps may contain dots themselves, as in
 * `models.ollama/llama3.2.window`, and may be in quotes: `models."ollama/llama3.2".window` is the same key.
 * `undefined` where there is no such key.
 */
export function findKeyPath(key: string, { json }: { readonly json: KeySchema }): KeyPath | undefined {
  const words = splitKey(key)
  return words && resolve(words, json)
}

/** The names in a written key, quotes taken off; `undefined` where a quote is not closed. */
export function namesIn(key: string): KeyPath | undefined {
  return splitKey(key)?.map(({ text }) => text)
}

/** A part of a written key. Quoted text is one name. */
interface Word {
  readonly text: string
  readonly quoted: boolean
}

/** The words of a written key; `undefined` where a quote is not closed, or something follows one directly. */
function splitKey(key: string): readonly Word[] | undefined {
  const words: Word[] = []
  for (let at = 0; at <= key.length; at++) {
    const rest = key.slice(at)
    const [whole, double, single] = /^(?:"([^"]+)"|'([^']+)')(?=\.|$)/.exec(rest) ?? []
    const plain = /^[^.]*/.exec(rest)![0]
    if (whole === undefined && /^["']/.test(plain)) return undefined
    words.push({ text: double ?? single ?? plain, quoted: whole !== undefined })
    at += (whole ?? plain).length
  }
  return words
}

function resolve(words: readonly Word[], schema: KeySchema): KeyPath | undefined {
  const [first, ...rest] = words
  if (first === undefined) return []
  if (first.text === '') return undefined
  for (const branch of [schema, ...(schema.anyOf ?? [])]) {
    const name = first.text
    const inner = Object.hasOwn(branch.properties ?? {}, name) ? branch.properties![name] : undefined
    const found = inner && resolve(rest, inner)
    if (found) return [name, ...found]
    if (typeof branch.additionalProperties !== 'object') continue
    const entry = resolveEntry(words, branch.additionalProperties)
    if (entry) return entry
  }
  return undefined
}

/** The longest name that leaves a known key behind it; else everything is the name. A quoted name is complete. */
function resolveEntry(words: readonly Word[], schema: KeySchema): KeyPath | undefined {
  const quoted = words.findIndex((word) => word.quoted)
  const longest = quoted === 0 ? 1 : quoted > 0 ? quoted : words.length
  for (let length = longest; length > 0; length--) {
    if (length === words.length && quoted !== 0) continue
    const rest = resolve(words.slice(length), schema)
    if (rest) return [joinWords(words.slice(0, length)), ...rest]
  }
  return quoted === -1 ? [joinWords(words)] : undefined
}

function joinWords(words: readonly Word[]): string {
  return words.map(({ text }) => text).join('.')
}

type TextChange = (text: string, facts: SettingFacts, path: KeyPath) => string

/** The value with every text changed of which its schema has facts, such as that it is a path. */
export function withTexts(schema: z.ZodType, value: unknown, change: TextChange, path: KeyPath = []): unknown {
  const { def } = innerSchema(schema) as { readonly def: InnerDefinition }
  if (typeof value === 'string') {
    const facts = settingFacts(schema)
    return (facts.path ?? facts.model ?? facts.embedder) ? change(value, facts, path) : value
  }
  // Of a setting of several kinds, one is an object: the others have no facts inside.
  if (def.type === 'union') {
    const kinds = def.options!.filter((option) => (innerSchema(option).def as InnerDefinition).shape)
    return kinds.length === 1 && typeof value === 'object' ? withTexts(kinds[0]!, value, change, path) : value
  }
  // An item of a list has the key of its list.
  if (Array.isArray(value))
    return def.element ? value.map((item) => withTexts(def.element!, item, change, path)) : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const of = def.type === 'record' ? def.valueType : def.shape?.[name]
      return [name, of ? withTexts(of, item, change, [...path, name]) : item]
    }),
  )
}

export function factsAt(schema: z.ZodType, path: KeyPath): SettingFacts {
  const setting = settingAt(schema, path)
  return setting ? settingFacts(setting) : {}
}

export function settingAt(schema: z.ZodType, [name, ...rest]: KeyPath): z.ZodType | undefined {
  if (name === undefined) return schema
  const { def } = innerSchema(schema) as { readonly def: InnerDefinition }
  const next = def.type === 'record' ? def.valueType : def.shape?.[name]
  return next && settingAt(next, rest)
}

interface InnerDefinition {
  readonly type: string
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly shape?: Readonly<Record<string, z.ZodType>>
}
