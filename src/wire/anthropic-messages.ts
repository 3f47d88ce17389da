import { fieldsOf, isObject, elementsOf } from '../platform.ts'
import type { FormatReader } from './answer-stream.ts'
import { addMessageEvent, messagesCorrection } from './anthropic-messages-events.ts'
import {
  callPart,
  contentParts,
  type JsonFields,
  marked,
  markedLast,
  mediaAt,
  mediaPart,
  opened,
  otherPart,
  otherResult,
  placed,
  readOnce,
  reasoningPart,
  restParts,
  resultMediaPart,
  resultPart,
  resultParts,
  textOf,
  textPart,
  toolPart,
  unread,
  type WireMedia,
  type WirePart,
  type WireRole,
  wireRoles,
} from './part.ts'

/** The parts of a body of Anthropic's Messages API, in the order in which the model reads them. */
function* partsOf(body: JsonFields): Generator<WirePart> {
  for (const [at, tool] of elementsOf(body['tools']).entries()) yield* toolOf(tool, at)
  const { system } = body
  if (Array.isArray(system)) for (const [at, block] of system.entries()) yield* leadOf(block, at)
  else yield* contentParts('system', system, readBlock, 'system').map(leading)
  for (const [at, message] of elementsOf(body['messages']).entries()) yield* messageOf(message, at)
}

const toolOf = readOnce((tool) => [readTool(tool)])
const leadOf = readOnce((block, at) => placed(readBlock('system', block), `system.${at}`).map(leading))
const messageOf = readOnce((message, at) => placed(readMessage(message), `messages.${at}`))

function leading(part: WirePart): WirePart {
  return { ...part, leads: true, opens: true }
}

/** A tool of the caller; one of the provider has a type, and no schema. */
export function readTool(value: unknown): WirePart {
  const tool = fieldsOf(value)
  const name = textOf(tool['name']) ?? textOf(tool['type']) ?? 'tool'
  const known = ['name', 'description', 'input_schema', 'defer_loading', 'strict', 'type']
  const description = textOf(tool['description'])
  const schema = tool['input_schema']
  const isOdd = typeof value !== 'object' || value === null
  const type = textOf(tool['type'])
  const more = {
    ...(isOdd ? { value } : {}),
    ...(type === undefined || type === 'custom' ? {} : { type }),
    ...(typeof tool['description'] === 'object' && tool['description'] ? { about: tool['description'] } : {}),
    ...unread(tool, known),
  }
  const definition = {
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: typeof schema === 'object' && schema !== null ? (schema as JsonFields) : {},
    ...(typeof tool['strict'] === 'boolean' ? { strict: tool['strict'] } : {}),
  }
  const about = tool['defer_loading'] === true ? { deferred: true as const } : {}
  return marked(toolPart(definition, more, about), tool)
}

function readMessage(value: unknown): readonly WirePart[] {
  const message = fieldsOf(value)
  const role = wireRoles.get(message['role'])
  if (role === undefined) return opened([otherPart('user', value)], 'user')
  const parts = contentParts(role, message['content'], readBlock)
  const [first, ...others] = opened([...parts, ...restParts(role, unread(message, ['role', 'content']))], role)
  const silent = Object.keys(message).filter((key) => key === 'output_config')
  return [silent.length === 0 ? first! : { ...first!, silent }, ...others]
}

function readBlock(role: WireRole, value: unknown): readonly WirePart[] {
  if (typeof value === 'string') return [textPart(role, value)]
  const block = fieldsOf(value)
  const reader = readers.get(textOf(block['type']) ?? '')
  const read = reader?.(block, role)
  if (!read) return [marked(otherPart(role, isObject(value) ? (unread(block, []) ?? {}) : value), block)]
  return markedLast([...read.parts, ...restParts(role, unread(block, read.keys))], block)
}

/** The parts of a block, and the keys that they say. `undefined`: it does not have the shape of its type. */
type BlockReader = (
  block: JsonFields,
  role: WireRole,
) => { readonly parts: readonly WirePart[]; readonly keys: readonly string[] } | undefined

const readers: ReadonlyMap<string, BlockReader> = new Map<string, BlockReader>(
  Object.entries({
    text: (block, role) => {
      const text = textOf(block['text'])
      return text === undefined ? undefined : { parts: [textPart(role, text)], keys: ['type', 'text'] }
    },
    thinking: (block) => {
      const text = textOf(block['thinking'])
      if (text === undefined) return undefined
      // What is sent as text counts as text: the signature only proves it.
      const part = reasoningPart(text, textOf(block['signature']))
      const { opaque: _opaque, ...plain } = part
      return { parts: [text === '' ? part : plain], keys: ['type', 'thinking', 'signature'] }
    },
    redacted_thinking: (block) => {
      const data = textOf(block['data'])
      return data === undefined
        ? undefined
        : { parts: [{ ...reasoningPart('', data), isRedacted: true }], keys: ['type', 'data'] }
    },
    tool_use: readCall,
    server_tool_use: readCall,
    mcp_tool_use: readCall,
    tool_result: readResult,
    mcp_tool_result: readResult,
    image: readMedia,
    document: readMedia,
  } satisfies Record<string, BlockReader>),
)

function readCall(block: JsonFields): ReturnType<BlockReader> {
  const [id, name] = [textOf(block['id']), textOf(block['name'])]
  if (!id || !name) return undefined
  return { parts: [callPart(id, name, block['input'] ?? {})], keys: ['type', 'id', 'name', 'input'] }
}

function readResult(block: JsonFields): ReturnType<BlockReader> {
  const id = textOf(block['tool_use_id'])
  if (id === undefined) return undefined
  const isError = block['is_error'] === true
  const parts = resultParts(id, block['content'], (part) => readResultBlock(id, part, isError), { isError })
  return { parts, keys: ['type', 'tool_use_id', 'content', 'is_error'] }
}

function readResultBlock(id: string, value: unknown, isError: boolean): readonly WirePart[] {
  const block = fieldsOf(value)
  const text = resultText(block)
  if (text !== undefined) {
    return [
      marked(resultPart(id, text, isError), block),
      ...restParts('tool', unread(block, ['type', 'text', 'tool_name'])),
    ]
  }
  const media = block['type'] === 'image' || block['type'] === 'document' ? mediaOf(block) : undefined
  if (!media) return [marked(otherResult(id, value, isError), block)]
  return [marked(resultMediaPart(id, media.media, isError), block), ...restParts('tool', unread(block, media.keys))]
}

function resultText({ type, text, tool_name: tool }: JsonFields): string | undefined {
  if (type === 'text') return textOf(text)
  return type === 'tool_reference' && textOf(tool) !== undefined ? `The tool ${textOf(tool)} can be called.` : undefined
}

function readMedia(block: JsonFields, role: WireRole): ReturnType<BlockReader> {
  const found = mediaOf(block)
  if (found) return { parts: [mediaPart(found.media)], keys: found.keys }
  const text = documentText(fieldsOf(block['source']))
  if (text === undefined) return undefined
  const filename = textOf(block['title']) || 'file.txt'
  const media = {
    data: `data:text/plain,${encodeURIComponent(text.toWellFormed())}`,
    mediaType: 'text/plain',
    filename,
  }
  return { parts: [{ ...otherPart(role, block), media }], keys: Object.keys(block) }
}

function documentText({ type, data, content }: JsonFields): string | undefined {
  if (type === 'text') return textOf(data) ?? ''
  if (type !== 'content') return undefined
  return (
    textOf(content) ??
    elementsOf(content)
      .map((block) => textOf(fieldsOf(block)['text']) ?? '')
      .join('\n')
  )
}

/** An image or a document by its source: base64, an address, or a text. */
function mediaOf(block: JsonFields): { readonly media: WireMedia; readonly keys: readonly string[] } | undefined {
  const source = fieldsOf(block['source'])
  const usual = block['type'] === 'image' ? 'image' : 'application/pdf'
  const mediaType = textOf(source['media_type']) ?? usual
  const filename = textOf(block['title'])
  const named = filename === undefined ? {} : { filename }
  const keys = ['type', 'source', 'title']
  const [data, url] = [textOf(source['data']), textOf(source['url'])]
  const image = block['type'] === 'image' ? { isImage: true as const } : {}
  if (source['type'] === 'base64' && data !== undefined)
    return { media: { data, mediaType, field: 'source.data', ...named, ...image }, keys }
  if (source['type'] === 'url' && url !== undefined)
    return { media: { ...mediaAt(url, mediaType, 'source.url', filename), ...image }, keys }
  return undefined
}

/** Anthropic's Messages API. */
export const messages: FormatReader = {
  fields: ['tools', 'system', 'messages'],
  parts: partsOf,
  correction: messagesCorrection,
  asEvent: (message) => ({ type: 'message', ...message }),
  add: addMessageEvent,
}
