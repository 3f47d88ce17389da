import { isObject, parseJson } from '../platform.ts'
import { z } from 'zod'
import type { CallRecord } from './call.ts'
import type { Binding, EntryBody } from './entry.ts'
import type { FileRow } from './file-row.ts'
import { StoreError } from './store-error.ts'
import { turnOutcomeTypes } from './turn-outcome.ts'

export type ExportLine =
  | { readonly type: 'header'; readonly session: { readonly id: string; readonly binding?: Binding } }
  | { readonly type: 'entry'; readonly seq: number; readonly time: string; readonly body: EntryBody }
  | { readonly type: 'call'; readonly record: CallRecord }
  | { readonly type: 'file'; readonly file: ExportedFile }
  | { readonly type: 'content'; readonly hash: string; readonly text: string }
  | ({ readonly type: 'end' } & {
      readonly entries: number
      readonly calls: number
      readonly files: number
      readonly contents: number
    })

/** A file of the session, without its bytes. */
export type ExportedFile = Omit<FileRow, 'owner'>

/**
 * Parses one line. The parsed value itself is returned, since a schema may put keys into another order, and an import must
 * give the same bytes again.
 *
 * @throws StoreError `invalid`, which names the line and what is wrong in it
 */
export function readExportLine(text: string, line: number): ExportLine {
  const value = parseObject(text, line)
  if ('foreword' in value) {
    const { session } = checkLine(header, value, line)
    return { type: 'header', session: { id: session.id, ...(session.binding && { binding: session.binding }) } }
  }
  if ('entry' in value) {
    checkLine(entryLine, value, line)
    const { seq, time, ...body } = value['entry'] as EntryBody & { seq: number; time: string }
    return { type: 'entry', seq, time, body: body as EntryBody }
  }
  if ('call' in value) {
    checkLine(callLine, value, line)
    return { type: 'call', record: value['call'] as CallRecord }
  }
  if ('file' in value) {
    checkLine(fileLine, value, line)
    return { type: 'file', file: value['file'] as ExportedFile }
  }
  if ('content' in value) return { type: 'content', ...checkLine(contentLine, value, line).content }
  if ('end' in value) return { type: 'end', ...checkLine(endLine, value, line).end }
  throw invalidLine(line, 'it is not an entry, a call, a file, a content or the end of an export')
}

export function invalidLine(line: number, why: string): StoreError {
  return new StoreError('invalid', `Line ${line} of the export cannot be read: ${why}. Nothing was imported.`)
}

function parseObject(text: string, line: number): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  if (isObject(value)) return value
  // The parser's own message would quote the line.
  throw invalidLine(line, 'it is not a JSON object')
}

function checkLine<Value>(schema: z.ZodType<Value>, value: unknown, line: number): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw invalidLine(line, problems.join('; '))
}

/** What an import checks in each line: enough that no later reader of the log finds an impossible value. */

const id = z.string().min(1)
const time = z.iso.datetime()
const count = z.int().nonnegative()
const binding = z.object({ channel: id, conversation: id })
const tokens = z.looseObject({ counter: id, full: z.number(), least: z.number() })
const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.looseObject({ type: id }))]),
})
const outcome = z.looseObject({ type: z.enum(turnOutcomeTypes) })
const decision = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('approve'), scope: z.enum(['once', 'session', 'tool']) }),
  z.looseObject({ type: z.literal('deny'), reason: z.string().optional() }),
  z.looseObject({ type: z.literal('withdraw'), reason: z.string() }),
])
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const content = z.string().regex(/^sha256:[0-9a-f]{64}$/)
const attachments = z.array(
  z.looseObject({
    file: id,
    name: z.string(),
    kind: z.enum(['text', 'image', 'audio', 'table', 'unreadable']),
    content: content.optional(),
  }),
)
const sources = z.array(
  z.looseObject({ citation: z.int().positive(), document: id, title: z.string(), url: z.string().optional() }),
)
const foreign = z.array(
  z.looseObject({
    kind: z.enum(['file', 'web', 'tool']),
    ref: z.string(),
    tool: z.string().optional(),
    owner: z.string().optional(),
    step: z.int().positive().optional(),
  }),
)
const at = { seq: z.int().positive(), time }
const ofTurn = { ...at, turn: id }
const ofCall = { ...ofTurn, call: id }

const entry = z.discriminatedUnion('type', [
  z.looseObject({
    ...at,
    type: z.literal('session-start'),
    title: z.string().optional(),
    channel: binding.optional(),
    after: id.optional(),
    foreign: id.optional(),
  }),
  z.looseObject({ ...at, type: z.literal('foreign-call'), call: id }),
  z.looseObject({
    ...ofTurn,
    type: z.literal('input'),
    parent: id.nullable().optional(),
    message,
    tokens,
    idempotencyKey: z.string().optional(),
    attachments: attachments.optional(),
  }),
  z.looseObject({ ...ofTurn, type: z.literal('edit'), message, tokens, attachments: attachments.optional() }),
  z.looseObject({ ...ofTurn, type: z.literal('turn-start') }),
  z.looseObject({ ...at, type: z.literal('branch'), head: id.nullable() }),
  z.looseObject({ ...ofTurn, type: z.literal('head'), head: id.nullable() }),
  z.looseObject({ ...ofCall, type: z.literal('assembly'), sources: sources.optional(), foreign: foreign.optional() }),
  z.looseObject({
    ...ofCall,
    type: z.literal('note'),
    through: id,
    folds: z.boolean().optional(),
    text: z.string().optional(),
    fault: z.string().optional(),
  }),
  z.looseObject({ ...ofCall, type: z.literal('tool-start'), toolCallId: id, toolName: id }),
  z.looseObject({
    ...ofCall,
    type: z.literal('tool-end'),
    toolCallId: id,
    ok: z.boolean(),
    output: z.string(),
    origin: z.looseObject({ kind: id }).optional(),
    stored: z.looseObject({ id, content, characters: count }).optional(),
    sources: sources.optional(),
    images: z.array(z.looseObject({ file: id, name: z.string(), mediaType: id })).optional(),
  }),
  z.looseObject({
    ...ofCall,
    type: z.literal('approval-request'),
    approval: id,
    toolCallId: id,
    rule: z.string(),
    request: z.looseObject({ tool: id }),
    digest: id,
    read: foreign.optional(),
    held: z.looseObject({ sentence: z.string(), raise: z.string() }).optional(),
    grant: id.optional(),
    loads: id.optional(),
  }),
  z.looseObject({ ...at, type: z.literal('revoke'), tool: id, by: id }),
  z.looseObject({ ...ofTurn, type: z.literal('approval'), approval: id, toolCallId: id, digest: id, decision, by: id }),
  z.looseObject({ ...ofTurn, type: z.literal('message'), message, tokens, citations: sources.optional() }),
  z.looseObject({ ...ofCall, type: z.literal('usage'), model: id, usage: z.looseObject({}) }),
  z.looseObject({ ...ofCall, type: z.literal('cut'), cut: z.looseObject({}), available: z.number(), room: z.number() }),
  z.looseObject({ ...at, type: z.literal('fold') }),
  z.looseObject({ ...at, type: z.literal('model'), model: id.nullable() }),
  z.looseObject({ ...at, type: z.literal('choice'), choice: id, value: id.nullable() }),
  z.looseObject({
    ...at,
    type: z.literal('label'),
    title: z.string().nullable().optional(),
    pinned: z.boolean().optional(),
    folder: z.string().nullable().optional(),
  }),
  z.looseObject({ ...ofTurn, type: z.literal('turn-end'), outcome }),
  z.looseObject({ ...ofTurn, type: z.literal('sent'), channel: id, part: z.int().positive(), messageId: id }),
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
const reading = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('text'), content, characters: count, tokens: count, counter: id }),
  z.looseObject({ kind: z.literal('table'), content, characters: count, sheets: z.array(z.string()) }),
  z.looseObject({ kind: z.literal('image'), mediaType: id, width: count.optional(), height: count.optional() }),
])
const state = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('processing') }),
  z.looseObject({ type: z.literal('ready'), reading }),
  z.looseObject({ type: z.literal('failed'), code: id, reason: z.string() }),
])
const fileLine = z.object({
  file: z.looseObject({ id, name: z.string(), time, mediaType: id, bytes: count, hash: sha256, state }),
})
const contentLine = z.object({ content: z.object({ hash: sha256, text: z.string() }) })
const endLine = z.object({ end: z.object({ entries: count, calls: count, files: count, contents: count }) })
