import { isObject } from '../../platform.ts'
import type { Schema } from './schema-check.ts'

/**
 * Reads an input that breaks its schema as the model must have meant it, where only one reading is possible: `null` for an
 * optional field is no value, `"5"` for a number is that number, and so on. `faultOf` says what is wrong with an input.
 *
 * @returns the input itself where it fits, else the one reading of it that does, else what is wrong with the input
 */
export async function readToolInput(
  schema: Schema,
  input: Schema,
  faultOf: (input: Schema) => Promise<string | undefined>,
): Promise<{ readonly input: Schema; readonly fault?: undefined } | { readonly fault: string }> {
  const fault = await faultOf(input)
  if (fault === undefined) return { input }
  const meant = unambiguousInput(schema, input)
  return isObject(meant) && meant !== input && (await faultOf(meant)) === undefined ? { input: meant } : { fault }
}

/** Values and alternatives that are looked at in one input: schemas are written by others. */
const MOST_STEPS = 10_000

/** References and alternatives within each other that are followed. */
const DEEPEST = 8

/** The value itself where its type fits or no reading is the only one. Knows types, and no other rules of a schema. */
function unambiguousInput(schema: unknown, input: unknown): unknown {
  let steps = 0

  function read(rules: unknown, value: unknown): unknown {
    steps += 1
    const kinds = alternatives(rules)
    if (steps > MOST_STEPS || kinds.length === 0) return value
    const fitting = kinds.filter((kind) => hasType(kind, value))
    if (fitting.length > 0) return fitting.length === 1 ? readInside(fitting[0]!, value) : value
    const readings = new Map(
      kinds.flatMap((kind) => readAs(kind, value).map((reading) => [JSON.stringify(reading), reading] as const)),
    )
    return readings.size === 1 ? [...readings.values()][0] : value
  }

  function readInside(rules: Schema, value: unknown): unknown {
    if (Array.isArray(value))
      return changed(
        value,
        value.map((item) => read(rules['items'], item)),
      )
    if (!isObject(value)) return enumValue(rules, value) ?? value
    const { properties, required, additionalProperties } = rules
    const known = isObject(properties) ? properties : {}
    const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
    const entries = Object.entries(value).flatMap(([name, inner]): (readonly [string, unknown])[] => {
      const field = Object.hasOwn(known, name) ? known[name] : additionalProperties
      if (field !== undefined && !isRequired(name) && isNoValue(field, inner)) return []
      return [[name, read(field, inner)]]
    })
    const isSame =
      entries.length === Object.keys(value).length && entries.every(([name, inner]) => value[name] === inner)
    return isSame ? value : Object.fromEntries(entries)
  }

  /** The readings of a value as another type: none or one. */
  function readAs(rules: Schema, value: unknown): readonly unknown[] {
    if (Array.isArray(value)) {
      const [only] = value
      return rules['type'] !== 'array' && value.length === 1 && !Array.isArray(only)
        ? one(rules, read(rules, only))
        : []
    }
    if (typeof value === 'string') {
      const parsed = one(rules, parsedText(value, rules['type']))
      if (parsed.length > 0) return parsed.map((each) => readInside(rules, each))
    }
    // A text with separators may be a list of several, and an empty one a list of none.
    const isSingle = typeof value === 'string' ? !/^\s*(?:$|[[{])|[,;\n]/.test(value) : value !== null
    if (rules['type'] !== 'array' || !isSingle) return []
    const item = read(rules['items'], value)
    return alternatives(rules['items']).some((kind) => hasType(kind, item)) ? [[item]] : []
  }

  function alternatives(rules: unknown, depth = 0): readonly Schema[] {
    if (!isObject(rules) || depth > DEEPEST || steps > MOST_STEPS) return []
    steps += 1
    const { $ref: reference, allOf, anyOf, oneOf, type } = rules
    if (typeof reference === 'string') return alternatives(referencedSchema(schema, reference), depth + 1)
    const inner = anyOf ?? oneOf ?? (Array.isArray(allOf) && allOf.length === 1 ? allOf : undefined)
    if (Array.isArray(inner)) return inner.flatMap((each) => alternatives(each, depth + 1))
    if (Array.isArray(type)) return type.map((each) => ({ ...rules, type: each }))
    if (typeof type === 'string') return [rules]
    const listed = 'const' in rules ? [rules['const']] : rules['enum']
    const types = new Set(Array.isArray(listed) ? listed.map(typeOf) : [])
    return [...types].map((each) => ({ ...rules, type: each }))
  }

  /** Whether a value can only stand for none: where the field has neither `null` nor, for an empty text, a text or a list. */
  function isNoValue(rules: unknown, value: unknown): boolean {
    const types = alternatives(rules).map(({ type }) => type)
    if (types.length === 0 || types.includes('null')) return false
    if (value === null) return true
    if (typeof value !== 'string' || types.includes('string')) return false
    return /^\s*(?:null|none)\s*$/i.test(value) || (value.trim() === '' && !types.includes('array'))
  }

  return read(schema, input)
}

function one(rules: Schema, value: unknown): readonly unknown[] {
  return value !== undefined && hasType(rules, value) ? [value] : []
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function hasType({ type }: Schema, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : type === typeOf(value)
}

/** The value of a text that is exactly that of another type, and loses nothing; else `undefined`. */
function parsedText(text: string, type: unknown): unknown {
  const plain = text.trim()
  // A model that has written Python writes `True` and `None`.
  if (type === 'boolean' || type === 'null')
    return { true: true, false: false, null: null, none: null }[plain.toLowerCase()]
  if (type === 'string') return undefined
  try {
    const parsed: unknown = JSON.parse(plain)
    return typeof parsed === 'number' && Number.isInteger(parsed) && !Number.isSafeInteger(parsed) ? undefined : parsed
  } catch {
    return undefined
  }
}

/** The one listed text that a text is but for its case and the spaces around it. */
function enumValue({ enum: listed }: Schema, value: unknown): unknown {
  if (typeof value !== 'string' || !Array.isArray(listed) || listed.includes(value)) return undefined
  const plain = (text: unknown) => (typeof text === 'string' ? text.trim().toLowerCase() : undefined)
  const found = listed.filter((each) => plain(each) === plain(value))
  return found.length === 1 ? found[0] : undefined
}

function changed(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.some((each, index) => each !== before[index]) ? after : before
}

/** What a reference within a schema leads to; `undefined` for any other. */
function referencedSchema(schema: unknown, reference: string): unknown {
  if (!/^#(?:\/|$)/.test(reference)) return undefined
  let found = schema
  for (const step of reference.split('/').slice(1)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Schema)[name]
  }
  return found
}
