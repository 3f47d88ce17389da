import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'

export type Schema = Readonly<Record<string, unknown>>

/** What came of a check. `unusable`: the schema itself is at fault, or takes too much. */
export type SchemaAnswer = { readonly type: 'fits' } | { readonly type: 'fault' | 'unusable'; readonly text: string }

/** The faults that one answer lists: a model corrects a few at a time. */
const MOST_LISTED = 5

/** What is wrong with an input, by field. Takes as long as the schema makes it: on the main thread for plain schemas only. */
export function answerOf(validate: ValidateFunction, input: unknown): SchemaAnswer {
  return validate(input) ? { type: 'fits' } : { type: 'fault', text: describeErrors(validate.errors ?? []) }
}

/** Made once for each dialect and thread: that takes far longer than compiling a schema. */
const compilers = new Map<string, Promise<Ajv>>()

/**
 * Compiles a JSON Schema: 2020-12, or the older draft that `$schema` names. Formats are not checked. Takes as long as the
 * schema makes it take.
 *
 * @throws Error where the schema is invalid
 */
export async function compileSchema({ $schema: dialect, ...rules }: Schema): Promise<ValidateFunction> {
  const draft = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect) ? 'draft-07' : '2020-12'
  const pending = compilers.get(draft) ?? createCompiler(draft)
  compilers.set(draft, pending)
  const compiler = await pending
  try {
    return compiler.compile(rules)
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
  const field = names(instancePath).join('.') || 'the input'
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
