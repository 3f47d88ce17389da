import type { AnyMessage, Piece, ToolDefinition, ToolOutput } from '../context.ts'
import { defined, isObject } from '../platform.ts'

/** One block of a body in the shapes of the core, whatever its format was: without cache marks and without ids of items. */
export interface WirePart {
  readonly kind: 'tool' | 'text' | 'reasoning' | 'call' | 'result' | 'media' | 'other'
  readonly role: 'tools' | 'system' | 'user' | 'assistant' | 'tool'
  readonly content: Piece['content']
  /** What a model reads of it, where that is text. */
  readonly text: string
  /** It begins a message or an item: the wrapper of the message is counted with it. */
  readonly opens?: true
  /** It stands in a field of its own before all messages: `system` or `instructions`. */
  readonly leads?: true
  /** It stands in a field of the body that no reader knows. */
  readonly field?: string
  /** Id of the call that it is, or that it answers. */
  readonly call?: string
  /** The tool that is called or described. */
  readonly tool?: string
  readonly input?: unknown
  /** Characters of what only the provider can read, such as encrypted reasoning. */
  readonly opaque?: number
  /** The tool is described to the model only once it was looked for. */
  readonly deferred?: true
  readonly mark?: PartMark
  /** Where it stands in the body, such as `messages.3.content.1`. */
  readonly path?: string
  /** The names of fields of a block that no reader knows: they are a part of their own. */
  readonly rest?: readonly string[]
  /** Fields of its message that say nothing to a model. */
  readonly silent?: readonly string[]
  /** A result that has no known shape: its JSON is its text. */
  readonly isUnknown?: true
  /** A message of a person without content: neither a text, which may be empty, nor a part. */
  readonly isMissing?: true
  readonly isError?: true
  readonly media?: WireMedia
  /** What only the provider can read of reasoning, or what proves it. */
  readonly sealed?: string
  readonly isRedacted?: true
}

/** A mark of a prompt cache behind a block. */
export interface PartMark {
  readonly life?: string
}

/** An object of JSON, as far as it is one. */
export type JsonFields = Readonly<Record<string, unknown>>

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A finite number of at least 0, or `undefined`. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** JSON, or a blank text for what has none. What is nested too deeply for a serializer is a list of its texts and numbers. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    if (error instanceof RangeError) return leavesOf(value)
    throw error
  }
}

/** The keys and values of something nested, in their order, without recursion. */
function leavesOf(value: unknown): string {
  const leaves: string[] = []
  const rest: unknown[] = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next !== 'object' || next === null) leaves.push(String(next))
    else if (Array.isArray(next)) for (let index = next.length - 1; index >= 0; index -= 1) rest.push(next[index])
    else for (const pair of Object.entries(next).toReversed()) rest.push(pair[1], pair[0])
  }
  return leaves.join(' ')
}

/** Levels of nesting beyond which a value is kept as a text: serializers that recurse would fail. */
const MOST_LEVELS = 500

/** What others can serialize: a text in place of what is nested too deeply. */
function shallow(value: unknown): unknown {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_LEVELS) return leavesOf(value)
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return value
}

/** The parts of a block: a mark of it is behind the last one. */
export function markedLast(parts: readonly WirePart[], block: JsonFields): readonly WirePart[] {
  return parts.map((part, index) => (index === parts.length - 1 ? marked(part, block) : part))
}

export function marked(part: WirePart, block: JsonFields): WirePart {
  const mark = block['cache_control'] ?? block['prompt_cache_breakpoint']
  return isObject(mark) ? { ...part, mark: defined({ life: textOf(mark['ttl']) }) } : part
}

/** Who can say a text. */
export type WireRole = 'system' | 'user' | 'assistant'

/** The roles that formats have for a message of text, and what they are here. */
export const wireRoles: ReadonlyMap<unknown, WireRole> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
])

/** A text that a message of this role says. */
export function textPart(role: WireRole, text: string): WirePart {
  const content: AnyMessage = { role, content: text }
  return { kind: 'text', role, content, text }
}

/** What a message says: a text, or a list of parts. What is neither counts as it is. `base`: the field that it stands in. */
export function contentParts(
  role: WireRole,
  content: unknown,
  readPart: (role: WireRole, part: unknown) => readonly WirePart[],
  base = 'content',
): readonly WirePart[] {
  if (typeof content === 'string') return [textPart(role, content)]
  if (Array.isArray(content)) return content.flatMap((part, at) => placed(readPart(role, part), `${base}.${at}`))
  return content === undefined || content === null ? [] : placed([otherPart(role, content)], base)
}

/** What no reader knows: its JSON as a text. */
export function otherPart(role: WireRole | 'tool', value: unknown): WirePart {
  const text = jsonOf(value)
  const says = role === 'tool' ? 'user' : role
  return { kind: 'other', role, content: { role: says, content: text }, text }
}

/** What of a block no reader knows; nothing where `rest` is nothing. */
export function restParts(role: WireRole | 'tool', rest: JsonFields | undefined): readonly WirePart[] {
  return rest === undefined ? [] : [{ ...otherPart(role, rest), rest: Object.keys(rest) }]
}

/** Puts `path` before where these parts, just made, stand. */
export function placed(parts: readonly WirePart[], path: string): readonly WirePart[] {
  for (const part of parts as readonly { path?: string }[]) {
    part.path = part.path === undefined ? path : `${path}.${part.path}`
  }
  return parts
}

/**
 * Reads an element of a list once for each place in it: a body that goes on from another has the same objects. They are never
 * changed.
 */
export function readOnce(
  read: (value: unknown, at: number) => readonly WirePart[],
): (value: unknown, at: number) => readonly WirePart[] {
  const known = new WeakMap<object, { readonly at: number; readonly parts: readonly WirePart[] }>()
  return (value, at) => {
    if (typeof value !== 'object' || value === null) return read(value, at)
    const before = known.get(value)
    if (before?.at === at) return before.parts
    const parts = read(value, at)
    known.set(value, { at, parts })
    return parts
  }
}

/** Reasoning. `opaque`: what only the provider can read of it. */
export function reasoningPart(text: string, opaque: string | undefined): WirePart {
  const sealed = opaque === undefined || opaque === '' ? {} : { providerOptions: { wire: { sealed: opaque } } }
  const content: AnyMessage = { role: 'assistant', content: [{ type: 'reasoning', text, ...sealed }] }
  const hidden = opaque ? { opaque: opaque.length, sealed: opaque } : {}
  return { kind: 'reasoning', role: 'assistant', content, text, ...hidden }
}

/** A call of a tool. `raw`: its input as the body has it, where that is a text. */
export function callPart(id: string, tool: string, input: unknown, raw?: string): WirePart {
  const content: AnyMessage = {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: id, toolName: tool, input: shallow(input) }],
  }
  return { kind: 'call', role: 'assistant', content, text: `${tool} ${raw ?? jsonOf(input)}`, call: id, tool, input }
}

export function resultPart(id: string, text: string, isError = false): WirePart {
  const part = {
    ...outputPart(id, { type: isError ? 'error-text' : 'text', value: text }),
    kind: 'result' as const,
    text,
  }
  return isError ? { ...part, isError } : part
}

/** A part of a result that no reader knows: its JSON as a text. */
export function otherResult(id: string, value: unknown, isError = false): WirePart {
  return { ...resultPart(id, jsonOf(value), isError), isUnknown: true }
}

/** What a call gave: a text, or a list of parts, each at its place. Anything else is a result that no reader knows. */
export function resultParts(
  id: string,
  content: unknown,
  readPart: (part: unknown) => readonly WirePart[],
  { base = 'content', isError = false } = {},
): readonly WirePart[] {
  if (typeof content === 'string') return [resultPart(id, content, isError)]
  if (content === undefined || content === null) return [resultPart(id, '', isError)]
  if (!Array.isArray(content)) return placed([otherResult(id, content, isError)], base)
  const parts = content.flatMap((part, at) => placed(readPart(part), `${base}.${at}`))
  return parts.length === 0 ? [resultPart(id, '', isError)] : parts
}

/** An image or a file that a person sent. */
export function mediaPart(media: WireMedia): WirePart {
  const { data, mediaType, filename } = media
  const file = { type: 'file' as const, data, mediaType, ...(filename === undefined ? {} : { filename }) }
  return { kind: 'media', role: 'user', content: { role: 'user', content: [file] }, text: '', media }
}

/** An image or a file in the result of a call. */
export function resultMediaPart(id: string, media: WireMedia, isError = false): WirePart {
  const { data, mediaType, filename } = media
  const named = filename === undefined ? {} : { filename }
  const value = isAddress(data)
    ? { type: 'file-url' as const, url: data, mediaType, ...named }
    : { type: 'file-data' as const, data, mediaType, ...named }
  return { ...outputPart(id, { type: 'content', value: [value] }), media, ...(isError ? { isError } : {}) }
}

function outputPart(id: string, output: ToolOutput): WirePart {
  const content: AnyMessage = {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: id, toolName: '', output }],
  }
  return { kind: 'media', role: 'tool', content, text: '', call: id }
}

/** The bytes of a medium as base64, or its address. */
export interface WireMedia {
  readonly data: string
  readonly mediaType: string
  readonly filename?: string
  /** It stands where only an image can. */
  readonly isImage?: true
  /** The field of its block that has it, such as `source.data`. */
  readonly field?: string
}

/** A medium of a `data:` address, or one that is elsewhere. */
export function mediaAt(address: string, usual: string, field: string, filename?: string): WireMedia {
  const named = {
    field,
    ...(filename === undefined ? {} : { filename }),
    ...(usual === 'image' ? { isImage: true as const } : {}),
  }
  const inline = /^data:([\w.+-]+\/[\w.+-]+)?[^,]{0,200};base64,/.exec(address.slice(0, 400))
  if (!inline) return { data: address, mediaType: usual, ...named }
  return { data: address.slice(inline[0].length), mediaType: inline[1] ?? usual, ...named }
}

export function isAddress(data: string): boolean {
  return /^[a-z][a-z0-9+.-]{1,20}:/i.test(data.slice(0, 24))
}

/** The description of a tool. `more`: what belongs to it besides, such as examples. */
export function toolPart(
  definition: ToolDefinition,
  more: JsonFields,
  about: Pick<WirePart, 'deferred'> = {},
): WirePart {
  const { name, description, inputSchema } = definition
  const text = jsonOf({ name, description, inputSchema, ...more })
  const content = shallow({ ...more, ...definition })
  const plain = typeof content === 'string' ? { name, inputSchema: { text: content } } : (content as ToolDefinition)
  return { kind: 'tool', role: 'tools', content: plain, text, tool: name, ...about }
}

/** The first part of a message opens it. A message without parts is one with no text, and no message of a person. */
export function opened(parts: readonly WirePart[], role: WireRole): readonly WirePart[] {
  const [first = textPart(role, ''), ...others] = parts
  const isMissing = role === 'user' && parts.every((part) => part.rest && part.role === 'user')
  return [{ ...first, ...(isMissing && { isMissing }), opens: true }, ...others]
}

/** The fields of a block that its reader has not read; none where they say nothing. */
export function unread(block: JsonFields, read: readonly string[]): JsonFields | undefined {
  const rest = Object.entries(block).filter(
    ([key, value]) => !silentFields.has(key) && !read.includes(key) && !isBlank(value),
  )
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

/** Whether a field says nothing. */
export function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Fields that say nothing to a model: where something is kept, how far it came, where a cache ends. */
const silentFields: ReadonlySet<string> = new Set([
  'id',
  'status',
  'index',
  'cache_control',
  'prompt_cache_breakpoint',
  'output_config',
  'internal_chat_message_metadata_passthrough',
])
