import type { Schema, SchemaAnswer } from './schema-check.ts'

/** The order to the thread that checks. `schema` is given with the first order of each `id`. */
export interface SchemaOrder {
  readonly id: number
  readonly schema?: Schema
  /** Absent where the schema is compiled and nothing is checked. */
  readonly input?: { readonly value: unknown }
}

/** `ready` once, when it can begin; then an answer for each order. */
export type SchemaNews = { readonly type: 'ready' } | SchemaAnswer
