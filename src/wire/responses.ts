import { fieldsOf, isObject, parseJson, elementsOf } from '../platform.ts'
import type { FormatReader } from './answer-stream.ts'
import { readTool } from './anthropic-messages.ts'
import {
  callPart,
  contentParts,
  isBlank,
  jsonOf,
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
  unread,
  type WirePart,
  type WireRole,
  wireRoles,
} from './part.ts'
import { addResponseEvent, responsesCorrection, wholeEvent } from './responses-events.ts'

/** The parts of a body of OpenAI's Responses API, in the order in which the model reads them. */
function* partsOf(body: JsonFields): Generator<WirePart> {
  for (const [at, tool] of elementsOf(body['tools']).entries()) yield* toolsOf(tool, at)
  const format = fieldsOf(body['text'])['format']
  if (fieldsOf(format)['type'] === 'json_schema') yield { ...otherPart('system', format), leads: true, field: 'format' }
  const { instructions, input } = body
  if (typeof instructions === 'string') yield { ...textPart('system', instructions), leads: true, opens: true }
  else yield* lead(instructions)
  if (typeof input === 'string') yield { ...textPart('user', input), opens: true }
  else if (Array.isArray(input)) yield* readItems(input)
  else if (input !== undefined && input !== null) yield { ...otherPart('user', input), opens: true }
}

function* readItems(items: readonly unknown[]): Generator<WirePart> {
  const calls = new Map<unknown, unknown>()
  for (const [at, value] of items.entries()) {
    const { id, call_id: call } = fieldsOf(value)
    // Some outputs name the item of their call instead.
    const known = calls.get(call || id)
    const item = known === undefined ? value : { ...fieldsOf(value), call_id: known }
    if (id && call) calls.set(id, call)
    yield* itemOf(item, at)
  }
}

const toolsOf = readOnce(readFunctions)
const itemOf = readOnce((item, at) => placed(readItem(item), `input.${at}`))

function* lead(instructions: unknown): Generator<WirePart> {
  if (Array.isArray(instructions)) {
    for (const item of instructions) for (const part of readItem(item)) yield { ...part, leads: true }
  } else if (instructions !== undefined && instructions !== null) {
    yield { ...otherPart('system', instructions), leads: true, opens: true }
  }
}

/** A function, a tool of the provider, or a group of functions: each of a group is a tool, and so is what is said of all. */
export function readFunctions(value: unknown): readonly WirePart[] {
  const tool = fieldsOf(value)
  if (tool['type'] === 'namespace' && Array.isArray(tool['tools'])) {
    const group = textOf(tool['name']) ?? 'namespace'
    const inner = tool['tools'].flatMap((each) => readFunctions(withPrefix(group, each)))
    const { tools: _tools, type: _type, ...about } = tool
    return [readTool({ ...about, name: group }), ...inner]
  }
  // Chat Completions has the definition of a function one level deeper.
  const inner = tool['function']
  const flat = typeof inner === 'object' && inner !== null ? { ...tool, function: undefined, ...inner } : tool
  const { parameters, type, ...others }: JsonFields = flat
  if (typeof value !== 'object' || value === null) return [readTool(value)]
  const kind = type === 'function' ? {} : { type }
  return [readTool({ ...others, ...kind, ...(parameters === undefined ? {} : { input_schema: parameters }) })]
}

function withPrefix(group: string, value: unknown): unknown {
  const tool = fieldsOf(value)
  return typeof tool['name'] === 'string' ? { ...tool, name: `${group}.${tool['name']}` } : value
}

function readItem(value: unknown): readonly WirePart[] {
  if (typeof value === 'string') return [{ ...textPart('user', value), opens: true }]
  const item = fieldsOf(value)
  const type = textOf(item['type']) ?? (typeof item['role'] === 'string' ? 'message' : '')
  const parts = readers.get(type)?.(item)
  const all = parts ?? [
    otherPart(type.endsWith('_output') ? 'tool' : 'user', isObject(value) ? (unread(item, []) ?? {}) : value),
  ]
  return opened(markedLast(all, item), 'user')
}

type ItemReader = (item: JsonFields) => readonly WirePart[] | undefined

const readers: ReadonlyMap<string, ItemReader> = new Map<string, ItemReader>(
  Object.entries({
    message: readMessage,
    reasoning: (item) => {
      const texts = [...elementsOf(item['content']), ...elementsOf(item['summary'])]
      const said = texts.map((part) => textOf(fieldsOf(part)['text']))
      if (said.includes(undefined)) return undefined
      const rest = unread(item, ['type', 'content', 'summary', 'encrypted_content'])
      const part = reasoningPart(said.join('\n\n'), textOf(item['encrypted_content']))
      // Only the provider that encrypted it can read it, and it takes it back in no other form.
      const silent = part.sealed === undefined ? {} : { silent: ['encrypted_content'] }
      return [{ ...part, ...silent }, ...restParts('assistant', rest)]
    },
    function_call: (item) => readCall(item, 'arguments'),
    custom_tool_call: (item) => readCall(item, 'input'),
    local_shell_call: (item) => readAction(item, 'local_shell', 'action'),
    shell_call: (item) => readAction(item, 'shell', 'action'),
    apply_patch_call: (item) => readAction(item, 'apply_patch', 'operation'),
    function_call_output: readOutput,
    custom_tool_call_output: readOutput,
    local_shell_call_output: readClientOutput,
    shell_call_output: readClientOutput,
    apply_patch_call_output: readClientOutput,
  } satisfies Record<string, ItemReader>),
)

function readMessage(item: JsonFields): readonly WirePart[] | undefined {
  const role = wireRoles.get(item['role'])
  if (role === undefined) return undefined
  const rest = unread(item, ['type', 'role', 'content', 'phase'])
  const said = contentParts(role, item['content'], readContentPart)
  const [first, ...others] = opened([...said, ...restParts(role, rest)], role)
  const silent = SILENT_FIELDS.filter((key) => !isBlank(item[key]))
  return [silent.length === 0 ? first! : { ...first!, silent }, ...others]
}

/** Fields of a message that clients send back, and that say nothing to a model. */
const SILENT_FIELDS: readonly string[] = ['phase', 'internal_chat_message_metadata_passthrough']

const texts: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'text', 'summary_text', 'refusal'])

/** One part of the content of a message, in either of OpenAI's formats. */
export function readContentPart(role: WireRole, value: unknown): readonly WirePart[] {
  if (typeof value === 'string') return [textPart(role, value)]
  const part = fieldsOf(value)
  const text = texts.has(part['type']) ? (textOf(part['text']) ?? textOf(part['refusal'])) : undefined
  if (text !== undefined) {
    return [
      marked(textPart(role, text), part),
      ...restParts(role, unread(part, ['type', 'text', 'refusal', 'logprobs'])),
    ]
  }
  const media = role === 'user' ? mediaOf(part) : undefined
  if (media) return [marked({ ...mediaPart(media), ...besideMedia(part) }, part)]
  return [marked(otherPart(role, value), part)]
}

/** The fields of an image or a file that are not passed on. */
function besideMedia(part: JsonFields): Pick<WirePart, 'silent'> {
  const read = ['type', 'file', 'image_url', 'input_audio', 'file_data', 'file_url', 'filename']
  const more = unread(part, part['detail'] === 'auto' ? [...read, 'detail'] : read)
  return more === undefined ? {} : { silent: Object.keys(more).map((key) => `content.${key}`) }
}

/** An image or a file of a content part: `image_url` is a text here and an object there. */
function mediaOf(part: JsonFields): ReturnType<typeof mediaAt> | undefined {
  const image = textOf(part['image_url']) ?? textOf(fieldsOf(part['image_url'])['url'])
  if ((part['type'] === 'input_image' || part['type'] === 'image_url') && image !== undefined) {
    return mediaAt(image, 'image', typeof part['image_url'] === 'string' ? 'image_url' : 'image_url.url')
  }
  const sound = part['type'] === 'input_audio' ? fieldsOf(part['input_audio']) : {}
  const bytes = textOf(sound['data'])
  if (bytes !== undefined) {
    return { data: bytes, mediaType: sound['format'] === 'wav' ? 'audio/wav' : 'audio/mpeg', field: 'input_audio.data' }
  }
  if (part['type'] !== 'input_file' && part['type'] !== 'file') return undefined
  const file = part['type'] === 'file' ? fieldsOf(part['file']) : part
  const key = textOf(file['file_data']) === undefined ? 'file_url' : 'file_data'
  const data = textOf(file[key])
  const place = part['type'] === 'file' ? `file.${key}` : key
  const name = textOf(file['filename'])
  const usual = name === undefined || /\.pdf$/i.test(name) ? 'application/pdf' : 'application/octet-stream'
  return data === undefined ? undefined : mediaAt(data, usual, place, name)
}

function readCall(item: JsonFields, key: string): readonly WirePart[] | undefined {
  const [id, name, input] = [textOf(item['call_id']) ?? textOf(item['id']), textOf(item['name']), textOf(item[key])]
  if (id === undefined || name === undefined || input === undefined) return undefined
  const group = textOf(item['namespace'])
  const rest = unread(item, ['type', 'call_id', 'name', key, 'namespace'])
  const call = callPart(id, group === undefined ? name : `${group}.${name}`, parsedInput(input), input)
  return [call, ...restParts('assistant', rest)]
}

/** The input of a call as an object, or as it came where it is none. */
export function parsedInput(text: string): unknown {
  return text.trimStart().startsWith('{') ? parseJson(text, text) : text
}

function readAction(item: JsonFields, tool: string, key: string): readonly WirePart[] | undefined {
  const id = textOf(item['call_id']) ?? textOf(item['id'])
  if (id === undefined || item[key] === undefined) return undefined
  return [callPart(id, tool, item[key]), ...restParts('assistant', unread(item, ['type', 'call_id', key]))]
}

function readOutput(item: JsonFields): readonly WirePart[] | undefined {
  const id = textOf(item['call_id']) ?? textOf(item['id'])
  if (id === undefined) return undefined
  const parts = resultParts(id, item['output'], (part) => readResultPart(id, part), { base: 'output' })
  return [...parts, ...restParts('tool', unread(item, ['type', 'call_id', 'output']))]
}

function readResultPart(id: string, value: unknown): readonly WirePart[] {
  const part = fieldsOf(value)
  const text = texts.has(part['type']) ? textOf(part['text']) : undefined
  if (text !== undefined) return [resultPart(id, text), ...restParts('tool', unread(part, ['type', 'text']))]
  const media = mediaOf(part)
  return [media ? { ...resultMediaPart(id, media), ...besideMedia(part) } : otherResult(id, value)]
}

/** What the client did in a form of its own. A patch can have a status alone. */
function readClientOutput(item: JsonFields): readonly WirePart[] | undefined {
  const id = textOf(item['call_id']) ?? textOf(item['id'])
  if (id === undefined) return undefined
  const { output, status } = item
  const text = textOf(output) ?? jsonOf(output ?? { status: status ?? 'completed' })
  const more = restParts('tool', unread(item, ['type', 'call_id', 'output']))
  return [resultPart(id, text, status === 'failed'), ...more]
}

/** OpenAI's Responses API. */
export const responses: FormatReader = {
  fields: ['tools', 'instructions', 'input', 'text'],
  parts: partsOf,
  correction: responsesCorrection,
  asEvent: wholeEvent,
  add: addResponseEvent,
}
