import { createContext, Script } from 'node:vm'
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import { errorMessage } from '../platform.ts'

type Schema = Readonly<Record<string, unknown>>

/** The faults that one answer lists: a model corrects a few at a time. */
const MOST_LISTED = 5

/** The longest that a schema is compiled, and that one input is checked by it, ms: capabilities and servers bring their own. */
const READING_MS = 5_000
const CHECKING_MS = 1_000

/** Validators are compiled once for each schema object and forgotten with it. */
const compiled = new WeakMap<Schema, Promise<ValidateFunction>>()

/**
 * What is wrong with an input, in words that name each field and why, or `undefined` where it fits its JSON Schema
 * (2020-12, or the older draft that `$schema` names). A schema that cannot be used accepts nothing.
 */
export async function inputFault(schema: Schema, input: unknown): Promise<string | undefined> {
  try {
    const pending = compiled.get(schema) ?? validatorFor(schema)
    compiled.set(schema, pending)
    const validate = await pending
    return runBounded(() => validate(input), CHECKING_MS) ? undefined : describeErrors(validate.errors ?? [])
  } catch (error) {
    return `its schema cannot be used (${errorMessage(error)})`
  }
}

/** Made once for each dialect: that takes far longer than compiling a schema. Made again after a schema that was interrupted. */
const compilers = new Map<string, Promise<Ajv>>()

/**
 * Compiles a JSON Schema: 2020-12, or the older draft that `$schema` names. Formats are not checked.
 *
 * @throws Error where the schema is invalid, or compiling it needs longer than five seconds
 */
export async function validatorFor({ $schema: dialect, ...rules }: Schema): Promise<ValidateFunction> {
  const draft = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect) ? 'draft-07' : '2020-12'
  const pending = compilers.get(draft) ?? createCompiler(draft)
  compilers.set(draft, pending)
  const compiler = await pending
  try {
    return runBounded(() => compiler.compile(rules), READING_MS)
  } catch (error) {
    if (error instanceof Interrupted) compilers.clear()
    throw error
  } finally {
    // Or the compiler would keep it for good.
    compiler.removeSchema(rules)
  }
}

/** Loaded late: a gateway whose model calls no tool, and that contacts no server, never needs it. */
async function createCompiler(draft: 'draft-07' | '2020-12'): Promise<Ajv> {
  const Compiler = draft === 'draft-07' ? (await import('ajv')).Ajv : (await import('ajv/dist/2020.js')).Ajv2020
  return new Compiler({
    allErrors: true,
    strict: false,
    validateFormats: false,
    addUsedSchema: false,
    // A small schema could otherwise become a program without end.
    inlineRefs: false,
    logger: false,
    verbose: true,
  })
}

function describeErrors(errors: readonly ErrorObject[]): string {
  const faults = [...new Set(errors.map(describeError))]
  const more = faults.length - MOST_LISTED
  return faults.slice(0, MOST_LISTED).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

function describeError({ keyword, instancePath, params, message, data, parentSchema }: ErrorObject): string {
  const field = fieldName(instancePath)
  switch (keyword) {
    case 'required':
      return `${joined(instancePath, String(params['missingProperty']))} is missing`
    case 'additionalProperties':
      return `there is no field ${joined(instancePath, String(params['additionalProperty']))}${known(parentSchema)}`
    case 'type':
      return `${field} must be ${withArticle(params['type'])}, not ${typeName(data)}`
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

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return withArticle(Array.isArray(value) ? 'array' : typeof value)
}

/**
 * Runs synchronous work, and throws `Interrupted` after `limitMs`: that ends even an expression that backtracks without
 * end. For work whose length somebody else decides, such as the author of a schema.
 */
function runBounded<Value>(work: () => Value, limitMs: number): Value {
  sandbox.work = work
  try {
    return script.runInContext(sandbox, { timeout: limitMs }) as Value
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new Interrupted(`it takes longer than ${limitMs} ms`, { cause: error })
  } finally {
    sandbox.work = undefined
  }
}

/** The work was interrupted, and what it worked on may be half done: not even its `finally` blocks ran. Never leaves this file but as text. */
class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** Made once. The script only calls the work, which sees everything that it saw before. */
const script = new Script('work()')
const sandbox: { work: (() => unknown) | undefined } = { work: undefined }
createContext(sandbox)
