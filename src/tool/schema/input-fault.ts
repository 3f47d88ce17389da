import type { ValidateFunction } from 'ajv'
import { errorMessage, systemClock, isObject } from '../../platform.ts'
import { answerOf, compileSchema, type Schema, type SchemaAnswer } from './schema-check.ts'
import { checkInThread } from './thread-check.ts'

/**
 * What is wrong with an input, in words that name each field and why, or `undefined` where it fits its JSON Schema
 * (2020-12, or the older draft that `$schema` names). A schema that cannot be used, or takes too long, accepts nothing.
 * Only plain schemas are worked on in this thread. `owner` says whose the schema is, such as `the MCP server s`: its time
 * is limited, and others wait no longer because of it. Never rejects.
 */
export async function inputFault(schema: Schema, input: unknown, owner: string): Promise<string | undefined> {
  const answer = await answerFor(schema, owner, { value: input })
  if (answer.type === 'fits') return undefined
  return answer.type === 'fault' ? answer.text : `its schema cannot be used (${answer.text})`
}

/** Why a schema cannot be used, or `undefined`. Otherwise as `inputFault`. */
export async function schemaFault(schema: Schema, owner: string): Promise<string | undefined> {
  const answer = await answerFor(schema, owner)
  return answer.type === 'fits' ? undefined : answer.text
}

async function answerFor(schema: Schema, owner: string, input?: { readonly value: unknown }): Promise<SchemaAnswer> {
  try {
    if (!isKnownPlain(schema) || (input && !isSmallInput(input.value))) return await checkInThread(schema, owner, input)
    const pending = compiled.get(schema) ?? nextCompilation(schema)
    compiled.set(schema, pending)
    const validate = await pending
    return input ? answerOf(validate, input.value) : { type: 'fits' }
  } catch (error) {
    return { type: 'unusable', text: errorMessage(error) }
  }
}

/** Found out, and compiled, once for each schema object, and forgotten with it. */
const plain = new WeakMap<Schema, boolean>()
const compiled = new WeakMap<Schema, Promise<ValidateFunction>>()

function isKnownPlain(schema: Schema): boolean {
  const known = plain.get(schema) ?? isPlainSchema(schema)
  plain.set(schema, known)
  return known
}

let last: Promise<unknown> = Promise.resolve()

/** One after another, with other work in between: many small schemas are much work as well. */
function nextCompilation(schema: Schema): Promise<ValidateFunction> {
  const compilation = last.then(() => compileSchema(schema))
  last = compilation.then(
    () => systemClock.yield(),
    () => {},
  )
  return compilation
}

/** The most schemas within a plain one, levels of them, and values that one of them lists. */
const MOST_SCHEMAS = 100
const DEEPEST = 6
const MOST_LISTED = 100

/** The most values and levels within a small input, and characters of its texts and names. */
const DEEPEST_INPUT = 128
const MOST_VALUES = 2_000
const MOST_CHARACTERS = 1_000_000

/** Rules whose cost does not depend on the schema: one comparison, or one look at each character. */
const simpleRules = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
])

/** What no check reads. */
const notes = new Set(['$comment', '$schema', 'title', 'description', 'default', 'examples', 'format', 'deprecated'])

/** Whether a schema compiles and checks a small input at once, no matter who wrote it: small, without patterns and references. */
export function isPlainSchema(schema: unknown): boolean {
  let schemas = 0

  function isPlain(value: unknown, depth: number, isAlternative: boolean): boolean {
    schemas += 1
    if (schemas > MOST_SCHEMAS || depth > DEEPEST) return false
    if (typeof value === 'boolean') return true
    if (!isObject(value)) return false
    return Object.entries(value).every(([rule, given]) => {
      if (notes.has(rule)) return rule !== '$schema' || depth === 0
      if (rule === 'type') return typeof given === 'string' || isShortList(given)
      if (rule === 'enum') return isShortList(given)
      if (rule === 'const') return isPrimitive(given)
      if (simpleRules.has(rule)) return typeof given === 'number'
      // An alternative has none of its own, so no value is looked at more often than there are schemas beside each other.
      if (isAlternative) return false
      if (rule === 'required') return isShortList(given)
      if (rule === 'anyOf' || rule === 'oneOf') {
        return Array.isArray(given) && given.length <= 8 && given.every((each) => isPlain(each, depth + 1, true))
      }
      if (rule === 'items' || rule === 'additionalProperties') return isPlain(given, depth + 1, false)
      return (
        rule === 'properties' &&
        isObject(given) &&
        Object.values(given).every((each) => isPlain(each, depth + 1, false))
      )
    })
  }

  return isPlain(schema, 0, false)
}

/** Whether an input is so small that looking at each of its values takes no time. */
export function isSmallInput(input: unknown): boolean {
  let values = 0
  let characters = 0

  function isSmall(value: unknown, depth: number): boolean {
    values += 1
    if (depth > DEEPEST_INPUT) return false
    if (typeof value === 'string') characters += value.length
    if (values > MOST_VALUES || characters > MOST_CHARACTERS) return false
    if (Array.isArray(value)) return value.length <= MOST_VALUES && value.every((each) => isSmall(each, depth + 1))
    if (typeof value !== 'object' || value === null) return true
    for (const name in value) {
      characters += name.length
      if (!isSmall((value as Record<string, unknown>)[name], depth + 1)) return false
    }
    return true
  }

  return isSmall(input, 0)
}

function isShortList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MOST_LISTED && value.every(isPrimitive)
}

function isPrimitive(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}
