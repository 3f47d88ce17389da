import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser'
import type { z } from 'zod'
import type { TextRead } from '../../tool.ts'

/** A checked value, or why there is none. Faults name a place or a field, never what stands there. */
export type JsonRead<Value> =
  | { readonly type: 'value'; readonly value: Value }
  | { readonly type: 'missing' }
  | { readonly type: 'invalid'; readonly faults: readonly string[] }

/** Reads JSON, with comments where somebody wrote some, and checks it as a whole. */
export function jsonOf<Value>(read: TextRead, schema: z.ZodType<Value>): JsonRead<Value> {
  if (read.type === 'missing') return read
  if (read.type === 'unreadable') return { type: 'invalid', faults: [read.why] }
  const errors: ParseError[] = []
  const json: unknown = parse(read.text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error)
    return {
      type: 'invalid',
      faults: [`no JSON at ${placeOf(read.text, error.offset)} (${printParseErrorCode(error.error)})`],
    }
  const checked = schema.safeParse(json)
  if (checked.success) return { type: 'value', value: checked.data }
  return {
    type: 'invalid',
    faults: checked.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`),
  }
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}
