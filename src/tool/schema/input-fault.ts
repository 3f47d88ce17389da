import type { ValidateFunction } from 'ajv'
import { errorMessage, systemClock } from '../../platform.ts'
import { isPlainSchema, isSmallInput } from './plain-schema.ts'
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
    if (!isPlain(schema) || (input && !isSmallInput(input.value))) return await checkInThread(schema, owner, input)
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

function isPlain(schema: Schema): boolean {
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
