import { z } from 'zod'
import { turnOutcomeTypes } from './turn-outcome.ts'

/**
 * What an import looks at in each line of an export: enough that nothing which reads the log later meets what it cannot be.
 */

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
  z.looseObject({ type: z.literal('approve'), scope: z.enum(['once', 'session']) }),
  z.looseObject({ type: z.literal('deny'), reason: z.string().optional() }),
])
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const content = z.string().regex(/^sha256:[0-9a-f]{64}$/)
const attachments = z.array(
  z.looseObject({
    file: id,
    name: z.string(),
    kind: z.enum(['text', 'image', 'table', 'unreadable']),
    content: content.optional(),
  }),
)
const sources = z.array(
  z.looseObject({ citation: z.int().positive(), document: id, title: z.string(), url: z.string().optional() }),
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
  }),
  z.looseObject({
    ...ofTurn,
    type: z.literal('input'),
    message,
    tokens,
    idempotencyKey: z.string().optional(),
    attachments: attachments.optional(),
  }),
  z.looseObject({ ...ofTurn, type: z.literal('turn-start') }),
  z.looseObject({ ...ofTurn, type: z.literal('head'), head: id.nullable() }),
  z.looseObject({ ...ofCall, type: z.literal('assembly'), sources: sources.optional() }),
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
  z.looseObject({ ...ofTurn, type: z.literal('message'), message, tokens, citations: sources.optional() }),
  z.looseObject({ ...ofCall, type: z.literal('usage'), model: id, usage: z.looseObject({}) }),
  z.looseObject({ ...ofCall, type: z.literal('cut'), cut: z.looseObject({}), available: z.number() }),
  z.looseObject({ ...at, type: z.literal('model'), model: id.nullable() }),
  z.looseObject({ ...at, type: z.literal('choice'), choice: id, value: id.nullable() }),
  // Of earlier versions.
  z.looseObject({ ...at, type: z.literal('agent'), agent: id.nullable() }),
  z.looseObject({ ...at, type: z.literal('project'), project: id.nullable() }),
  z.looseObject({ ...at, type: z.literal('subject'), subject: id.nullable() }),
  z.looseObject({ ...ofTurn, type: z.literal('turn-end'), outcome }),
  z.looseObject({ ...ofTurn, type: z.literal('sent'), channel: id, part: z.int().positive(), messageId: id }),
  z.looseObject({ ...ofTurn, type: z.literal('delivered'), channel: id }),
])

export const header = z.looseObject({
  foreword: z.literal('session'),
  version: z.literal(1, { error: 'this Foreword reads version 1: update it' }),
  session: z.looseObject({ id, binding: binding.optional() }),
})
export const entryLine = z.object({ entry })
export const callLine = z.object({
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
export const fileLine = z.object({
  file: z.looseObject({ id, name: z.string(), time, mediaType: id, bytes: count, hash: sha256, state }),
})
export const contentLine = z.object({ content: z.object({ hash: sha256, text: z.string() }) })
/** `files` came later than the others. */
export const endLine = z.object({
  end: z.object({ entries: count, calls: count, files: count.default(0), contents: count }),
})
