import { z } from 'zod'
import type { Binding, CallRecord, EntryBody } from './entry.ts'
import { StoreError } from './store-error.ts'

/** What one line of an export says. */
export type ExportLine =
  | { readonly type: 'header'; readonly session: { readonly id: string; readonly binding?: Binding } }
  | { readonly type: 'entry'; readonly seq: number; readonly time: string; readonly body: EntryBody }
  | { readonly type: 'call'; readonly record: CallRecord }
  | { readonly type: 'content'; readonly hash: string; readonly text: string }
  | { readonly type: 'end'; readonly entries: number; readonly calls: number; readonly contents: number }

/**
 * Reads one line. What was parsed is handed on as it is, since a schema may set keys in another order, and an import must
 * give the same bytes again.
 *
 * @throws StoreError `invalid`, which names the line and what is wrong in it
 */
export function readExportLine(text: string, line: number): ExportLine {
  const value = parsed(text, line)
  if ('foreword' in value) {
    const { session } = checked(header, value, line)
    return { type: 'header', session: { id: session.id, ...(session.binding && { binding: session.binding }) } }
  }
  if ('entry' in value) {
    checked(entryLine, value, line)
    const { seq, time, ...body } = value['entry'] as EntryBody & { seq: number; time: string }
    return { type: 'entry', seq, time, body: body as EntryBody }
  }
  if ('call' in value) {
    checked(callLine, value, line)
    return { type: 'call', record: value['call'] as CallRecord }
  }
  if ('content' in value) return { type: 'content', ...checked(contentLine, value, line).content }
  if ('end' in value) return { type: 'end', ...checked(endLine, value, line).end }
  throw invalidLine(line, 'it is neither an entry, a call, a content nor the end of an export')
}

export function invalidLine(line: number, why: string): StoreError {
  return new StoreError('invalid', `line ${line} of the export cannot be read: ${why}. Nothing was imported`)
}

function parsed(text: string, line: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Said below: the parser's own message would quote the line.
  }
  throw invalidLine(line, 'it is no JSON object')
}

function checked<Value>(schema: z.ZodType<Value>, value: unknown, line: number): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw invalidLine(line, problems.join('; '))
}

const id = z.string().min(1)
const time = z.iso.datetime()
const count = z.int().nonnegative()
const binding = z.object({ channel: id, conversation: id })
const tokens = z.looseObject({ counter: id, full: z.number(), least: z.number() })
const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.looseObject({ type: id }))]),
})
const outcome = z.looseObject({ type: z.enum(['completed', 'cancelled', 'failed']) })
const decision = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('approve'), scope: z.enum(['once', 'session']) }),
  z.looseObject({ type: z.literal('deny'), reason: z.string().optional() }),
])
const at = { seq: z.int().positive(), time }
const ofTurn = { ...at, turn: id }
const ofCall = { ...ofTurn, call: id }

const entry = z.discriminatedUnion('type', [
  z.looseObject({ ...at, type: z.literal('session-start'), title: z.string().optional(), channel: binding.optional() }),
  z.looseObject({ ...ofTurn, type: z.literal('input'), message, tokens, idempotencyKey: z.string().optional() }),
  z.looseObject({ ...ofTurn, type: z.literal('turn-start') }),
  z.looseObject({ ...ofCall, type: z.literal('assembly') }),
  z.looseObject({ ...ofCall, type: z.literal('tool-start'), toolCallId: id, toolName: id }),
  z.looseObject({
    ...ofCall,
    type: z.literal('tool-end'),
    toolCallId: id,
    ok: z.boolean(),
    output: z.string(),
    origin: z.looseObject({ kind: id }).optional(),
    stored: z.looseObject({ id, content: z.string().regex(/^sha256:[0-9a-f]{64}$/), characters: count }).optional(),
  }),
  z.looseObject({
    ...ofCall,
    type: z.literal('approval-request'),
    approval: id,
    toolCallId: id,
    rule: z.string(),
    request: z.looseObject({ tool: id }),
    digest: id,
  }),
  z.looseObject({ ...ofTurn, type: z.literal('approval'), approval: id, toolCallId: id, digest: id, decision, by: id }),
  z.looseObject({ ...ofTurn, type: z.literal('message'), message, tokens }),
  z.looseObject({ ...ofCall, type: z.literal('usage'), model: id, usage: z.looseObject({}) }),
  z.looseObject({ ...ofCall, type: z.literal('cut'), cut: z.looseObject({}), available: z.number() }),
  z.looseObject({ ...at, type: z.literal('model'), model: id.nullable() }),
  z.looseObject({ ...ofTurn, type: z.literal('turn-end'), outcome }),
  z.looseObject({ ...ofTurn, type: z.literal('delivered'), channel: id }),
])

const header = z.looseObject({
  foreword: z.literal('session'),
  version: z.literal(1, { error: 'this Foreword reads version 1: update it' }),
  session: z.looseObject({ id, binding: binding.optional() }),
})
const entryLine = z.object({ entry })
const callLine = z.object({
  call: z.looseObject({
    id,
    turn: id.optional(),
    time,
    model: z.string(),
    manifest: z.looseObject({}),
    requestDigest: z.string(),
  }),
})
const contentLine = z.object({ content: z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), text: z.string() }) })
const endLine = z.object({ end: z.object({ entries: count, calls: count, contents: count }) })
