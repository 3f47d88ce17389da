import { parentPort } from 'node:worker_threads'
import type { ValidateFunction } from 'ajv'
import { answerOf, compileSchema, type Schema, type SchemaAnswer } from './schema-check.ts'

/** The order to this thread. `schema` is given with the first order of each `id`. */
export interface SchemaOrder {
  readonly id: number
  readonly schema?: Schema
  /** Absent where the schema is compiled and nothing is checked. */
  readonly input?: { readonly value: unknown }
}

/** `ready` once, when it can begin; then an answer for each order. */
export type SchemaNews = { readonly type: 'ready' } | SchemaAnswer

/** The thread that compiles and checks by schemas of others. It is ended from outside where one takes too long. */
const compiled = new Map<number, ValidateFunction>()

parentPort?.on('message', (order: SchemaOrder) => void answer(order).then(tell))
// The compiler is loaded before the time of the first order begins.
await compileSchema({ type: 'object' })
tell({ type: 'ready' })

async function answer({ id, schema, input }: SchemaOrder): Promise<SchemaAnswer> {
  try {
    const validate = compiled.get(id) ?? (await compileSchema(schema ?? {}))
    compiled.set(id, validate)
    return input === undefined ? { type: 'fits' } : answerOf(validate, input.value)
  } catch (error) {
    return { type: 'unusable', text: error instanceof Error ? error.message : String(error) }
  }
}

function tell(news: SchemaNews): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort?.postMessage(news)
}
