import { isObject } from '../../platform.ts'

type Schema = Readonly<Record<string, unknown>>

/**
 * A schema of a tool's input with what it lacks or says in an older way put as draft 2020-12 says it, where that has one
 * meaning only: no type is an object, `null` is absent, `exclusiveMinimum: true` is the minimum. What no check could use,
 * such as a pattern that does not compile, is left out: the server checks its own input.
 *
 * @returns `undefined` for what describes no object
 */
export function correctedSchema(given: unknown): Schema | undefined {
  if (given === undefined || given === null || given === true) return { type: 'object', properties: {} }
  if (!isObject(given)) return undefined
  const rules = corrected(given) as Schema
  const { type = 'object' } = rules
  const isObjectType = type === 'object' || (Array.isArray(type) && type.includes('object'))
  return isObjectType ? { ...rules, type: 'object' } : undefined
}

function corrected(given: unknown): unknown {
  if (!isObject(given)) return given === false ? false : {}
  const fields = isObject(given['properties']) ? given['properties'] : {}
  const entries = Object.entries(given).flatMap(([rule, value]): (readonly [string, unknown])[] => {
    if (rule === 'const' || rule === 'default' || rule === 'examples') return [[rule, value]]
    if (value === null) return []
    const one = (found: unknown) => (found === undefined ? [] : [[rule, found] as const])
    switch (rule) {
      case 'type':
        return one(correctedType(value))
      case 'properties':
      case '$defs':
      case 'definitions':
      case 'dependentSchemas':
        return [[rule, mapped(value)]]
      case 'patternProperties':
        return [[rule, Object.fromEntries(Object.entries(mapped(value)).filter(([name]) => compiles(name)))]]
      case 'items':
        return Array.isArray(value) ? [['prefixItems', value.map(corrected)]] : [[rule, corrected(value)]]
      case 'additionalItems':
        return Array.isArray(given['items']) ? [['items', corrected(value)]] : []
      case 'additionalProperties':
      case 'not':
      case 'if':
      case 'then':
      case 'else':
      case 'contains':
      case 'propertyNames':
        return [[rule, corrected(value)]]
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return Array.isArray(value) && value.length > 0 ? [[rule, value.map(corrected)]] : []
      case 'enum':
        return Array.isArray(value) && value.length > 0 ? [[rule, distinct(value)]] : []
      case 'pattern':
        return typeof value === 'string' && compiles(value) ? [[rule, value]] : []
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        return one(typeof value === 'number' ? value : value === true ? given[limits[rule]] : undefined)
      case 'minimum':
      case 'maximum':
        return given[exclusive[rule]] === true ? [] : one(typeof value === 'number' ? value : undefined)
      case 'divisibleBy':
        return typeof value === 'number' && value > 0 ? [['multipleOf', value]] : []
      case 'multipleOf':
        return typeof value === 'number' && value > 0 ? [[rule, value]] : []
      case 'minLength':
      case 'maxLength':
      case 'minItems':
      case 'maxItems':
      case 'minProperties':
      case 'maxProperties':
        return Number.isInteger(value) && (value as number) >= 0 ? [[rule, value]] : []
      case 'description':
      case 'title':
        return typeof value === 'string' ? [[rule, value]] : []
      // `required` is put together below; the others are names and older rules that the schema of one tool does not need.
      case 'required':
      case 'id':
      case '$id':
      case '$schema':
      case '$anchor':
      case '$vocabulary':
      case 'dependencies':
      case 'extends':
      case 'disallow':
        return []
      default:
        return [[rule, value]]
    }
  })
  const named = Array.isArray(given['required']) ? given['required'] : []
  // Draft 3 says it in the field.
  const own = Object.keys(fields).filter((name) => isObject(fields[name]) && fields[name]['required'] === true)
  const required = distinct([...named, ...own]).filter((name) => typeof name === 'string')
  return Object.fromEntries([...entries, ...(required.length > 0 ? [['required', required] as const] : [])])
}

const limits = { exclusiveMinimum: 'minimum', exclusiveMaximum: 'maximum' } as const
const exclusive = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' } as const

/** Names of types, with those of the languages that servers are written in. `any` is no type. */
const types: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].map((name) => [name, name]),
  ),
  str: 'string',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
  dict: 'object',
  list: 'array',
}

/** What is no type stays: such a schema cannot be used. `any` is none. */
function correctedType(type: unknown): unknown {
  if (Array.isArray(type)) return type.map(correctedType)
  const name = typeof type === 'string' ? type.toLowerCase() : ''
  return name === 'any' ? undefined : (types[name] ?? type)
}

/** A language without maps of its own, such as PHP, writes an empty one as a list. */
function mapped(value: unknown): Schema {
  if (!isObject(value)) return {}
  const kept = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(kept.map(([name, inner]) => [name, corrected(inner)]))
}

function distinct(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== ''
  } catch {
    return false
  }
}
