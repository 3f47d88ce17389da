import { fieldsOf, isObject, parseJson, elementsOf } from '../platform.ts'
import { readTool } from './messages-body.ts'
import {
  callPart,
  contentParts,
  jsonOf,
  type JsonFields,
  marked,
  markedLast,
  mediaAt,
  mediaPart,
  opened,
  otherPart,
  reasoningPart,
  resultMediaPart,
  resultPart,
  textOf,
  textPart,
  unread,
  type WirePart,
  type WireRole,
  wireRoles,
} from './wire-part.ts'

/** The parts of a body of OpenAI's Responses API, in the order in which the model reads them. */
export function* responsesParts(body: JsonFields): Generator<WirePart> {
  for (const tool of elementsOf(body['tools'])) yield* readFunctions(tool)
  const format = fieldsOf(body['text'])['format']
  if (fieldsOf(format)['type'] === 'json_schema') yield { ...otherPart('system', format), leads: true, field: 'format' }
  const { instructions, input } = body
  if (typeof instructions === 'string') yield { ...textPart('system', instructions), leads: true, opens: true }
  else yield* lead(instructions)
  if (typeof input === 'string') yield { ...textPart('user', input), opens: true }
  else if (Array.isArray(input)) for (const item of input) yield* readItem(item)
  else if (input !== undefined && input !== null) yield { ...otherPart('user', input), opens: true }
}

/** The fields of the body that are read. */
export const responsesFields: readonly string[] = ['tools', 'instructions', 'input', 'text']

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
      return [part, ...(rest ? [otherPart('assistant', rest)] : [])]
    },
    function_call: (item) => readCall(item, 'arguments'),
    custom_tool_call: (item) => readCall(item, 'input'),
    local_shell_call: (item) => readAction(item, 'local_shell'),
    shell_call: (item) => readAction(item, 'shell'),
    function_call_output: readOutput,
    custom_tool_call_output: readOutput,
    local_shell_call_output: readOutput,
    shell_call_output: readOutput,
  } satisfies Record<string, ItemReader>),
)

function readMessage(item: JsonFields): readonly WirePart[] | undefined {
  const role = wireRoles.get(item['role'])
  if (role === undefined) return undefined
  const rest = unread(item, ['type', 'role', 'content', 'phase'])
  const parts = contentParts(role, item['content'], readContentPart)
  const all = rest ? [...parts, otherPart(role, rest)] : parts
  return all.length === 0 ? [textPart(role, '')] : all
}

const texts: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'text', 'summary_text', 'refusal'])

/** One part of the content of a message, in either of OpenAI's formats. */
export function readContentPart(role: WireRole, value: unknown): readonly WirePart[] {
  if (typeof value === 'string') return [textPart(role, value)]
  const part = fieldsOf(value)
  const text = texts.has(part['type']) ? (textOf(part['text']) ?? textOf(part['refusal'])) : undefined
  if (text !== undefined) {
    const rest = unread(part, ['type', 'text', 'refusal', 'logprobs'])
    return [marked(textPart(role, text), part), ...(rest ? [otherPart(role, rest)] : [])]
  }
  const media = role === 'user' ? mediaOf(part) : undefined
  if (media) return [marked(mediaPart(media), part)]
  return [marked(otherPart(role, value), part)]
}

/** An image or a file of a content part: `image_url` is a text here and an object there. */
function mediaOf(part: JsonFields): ReturnType<typeof mediaAt> | undefined {
  const image = textOf(part['image_url']) ?? textOf(fieldsOf(part['image_url'])['url'])
  if ((part['type'] === 'input_image' || part['type'] === 'image_url') && image !== undefined) {
    return mediaAt(image, 'image')
  }
  if (part['type'] !== 'input_file' && part['type'] !== 'file') return undefined
  const file = part['type'] === 'file' ? fieldsOf(part['file']) : part
  const data = textOf(file['file_data']) ?? textOf(file['file_url'])
  return data === undefined ? undefined : mediaAt(data, 'application/pdf', textOf(file['filename']))
}

function readCall(item: JsonFields, key: string): readonly WirePart[] | undefined {
  const [id, name, input] = [textOf(item['call_id']) ?? textOf(item['id']), textOf(item['name']), textOf(item[key])]
  if (id === undefined || name === undefined || input === undefined) return undefined
  const group = textOf(item['namespace'])
  const rest = unread(item, ['type', 'call_id', 'name', key, 'namespace'])
  const call = callPart(id, group === undefined ? name : `${group}.${name}`, parsedInput(input), input)
  return [call, ...(rest ? [otherPart('assistant', rest)] : [])]
}

/** The input of a call as an object, or as it came where it is none. */
export function parsedInput(text: string): unknown {
  return text.trimStart().startsWith('{') ? parseJson(text, text) : text
}

function readAction(item: JsonFields, tool: string): readonly WirePart[] | undefined {
  const id = textOf(item['call_id']) ?? textOf(item['id'])
  if (id === undefined || item['action'] === undefined) return undefined
  const rest = unread(item, ['type', 'call_id', 'action'])
  return [callPart(id, tool, item['action']), ...(rest ? [otherPart('assistant', rest)] : [])]
}

function readOutput(item: JsonFields): readonly WirePart[] | undefined {
  const id = textOf(item['call_id']) ?? textOf(item['id'])
  if (id === undefined) return undefined
  const { output } = item
  const rest = unread(item, ['type', 'call_id', 'output'])
  const more = rest ? [otherPart('tool', rest)] : []
  if (typeof output === 'string') return [resultPart(id, output), ...more]
  if (!Array.isArray(output)) return [resultPart(id, output === undefined ? '' : jsonOf(output)), ...more]
  const parts = output.map((value) => {
    const part = fieldsOf(value)
    const text =
      texts.has(part['type']) && unread(part, ['type', 'text']) === undefined ? textOf(part['text']) : undefined
    if (text !== undefined) return resultPart(id, text)
    const media = mediaOf(part)
    return media ? resultMediaPart(id, media) : resultPart(id, jsonOf(value))
  })
  return [...(parts.length === 0 ? [resultPart(id, '')] : parts), ...more]
}
