import { createContext, Script } from 'node:vm'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { errorMessage } from '../platform.ts'

type Schema = Readonly<Record<string, unknown>>

/** How many faults are told at once; a model mends a few at a time. */
const TOLD = 5

/** The longest that a schema is read, and that one input is checked by it, ms: skills and servers bring their own. */
const READING_MS = 5_000
const CHECKING_MS = 1_000

/** Checks are compiled once for each schema object and forgotten with it. */
const compiled = new WeakMap<Schema, Promise<ValidateFunction>>()

/**
 * What is wrong with an input, in words that name each field and why, or `undefined` where it fits its JSON Schema
 * (2020-12; older drafts where `$schema` says so). A schema that cannot be used lets nothing through.
 */
export async function inputFault(schema: Schema, input: unknown): Promise<string | undefined> {
  try {
    const check = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, check)
    const validate = await check
    return interruptible(() => validate(input), CHECKING_MS) ? undefined : told(validate.errors ?? [])
  } catch (error) {
    return `its schema cannot be used (${errorMessage(error)})`
  }
}

async function compile(schema: Schema): Promise<ValidateFunction> {
  // Loaded late: a gateway whose model calls no tool never needs it.
  const { $schema: dialect, ...rules } = schema
  const isOld = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect)
  const Validator = isOld ? (await import('ajv')).Ajv : (await import('ajv/dist/2020.js')).Ajv2020
  const validator = new Validator({
    allErrors: true,
    strict: false,
    validateFormats: false,
    addUsedSchema: false,
    // A small schema could otherwise become a program without end.
    inlineRefs: false,
    logger: false,
    verbose: true,
  })
  return interruptible(() => validator.compile(rules), READING_MS)
}

function told(errors: readonly ErrorObject[]): string {
  const faults = [...new Set(errors.map(sentence))]
  const more = faults.length - TOLD
  return faults.slice(0, TOLD).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

function sentence({ keyword, instancePath, params, message, data, parentSchema }: ErrorObject): string {
  const field = fieldName(instancePath)
  switch (keyword) {
    case 'required':
      return `${joined(instancePath, String(params['missingProperty']))} is missing`
    case 'additionalProperties':
      return `there is no field ${joined(instancePath, String(params['additionalProperty']))}${known(parentSchema)}`
    case 'type':
      return `${field} must be ${withArticle(params['type'])}, not ${kindOf(data)}`
    case 'enum':
      return `${field} must be one of ${(params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`
    default:
      return `${field} ${message ?? `breaks the rule ${keyword}`}`
  }
}

function fieldName(pointer: string): string {
  return pointer === '' ? 'the input' : names(pointer).join('.')
}

function joined(pointer: string, name: string): string {
  return [...names(pointer), name].join('.')
}

function names(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function known(schema: unknown): string {
  const fields = Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
  return fields.length === 0 ? '' : ` (it has ${fields.join(', ')})`
}

function withArticle(type: unknown): string {
  const kinds = (Array.isArray(type) ? type : [type]).map((kind) =>
    kind === 'null' ? 'null' : `${/^[aio]/.test(String(kind)) ? 'an' : 'a'} ${kind}`,
  )
  return kinds.join(' or ')
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return withArticle(Array.isArray(value) ? 'array' : typeof value)
}

/**
 * Does a piece of work that never waits, and throws where it takes longer than `limitMs`: not even an expression that
 * backtracks without end goes on then. For work whose length somebody else decides, such as the author of a schema.
 */
export function interruptible<Value>(work: () => Value, limitMs: number): Value {
  room.work = work
  try {
    return script.runInContext(room, { timeout: limitMs }) as Value
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new Interrupted(`it takes longer than ${limitMs} ms`, { cause: error })
  } finally {
    room.work = undefined
  }
}

/** The work was ended in its midst, and what it worked on may be left half done: it did not even tidy up. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** Made once. It only calls: what is called knows everything that it knew before. */
const script = new Script('work()')
const room: { work: (() => unknown) | undefined } = { work: undefined }
createContext(room)
