import type { AnyMessage, AssistantMessage, ToolOutput, UserMessage } from '../../../context.ts'
import { fieldsOf, parseJson } from '../../../platform.ts'
import { HttpFailure, filePart, imageFile, type InlineFile, inlineFile } from '../../../server.ts'
import type { ResponseItem } from './response-schema.ts'
import { customInput, toolName } from './response-tools.ts'

interface ItemMessages {
  readonly messages: readonly AnyMessage[]
  readonly left: readonly string[]
}

type AssistantPart = Exclude<AssistantMessage['content'], string>[number]
type ToolCallPart = Extract<AssistantPart, { type: 'tool-call' }>

/**
 * The items of an input in the format of the core: what a model said, thought and called up to the next result is one message, and
 * so are the results of one step. Throws an `HttpFailure` that names the item for one that has no place in a request to any model.
 */
export function itemMessages(items: readonly ResponseItem[]): ItemMessages {
  const messages: AnyMessage[] = []
  const left = new Set<string>()
  const calls = new Map<string, ToolCallPart>()
  let open: AssistantPart[] = []

  for (const [at, item] of items.entries()) read(item, `input.${at}`)
  close()
  return { messages, left: [...left] }

  function read(item: ResponseItem, where: string): void {
    const type = item.type ?? 'message'
    for (const field of unreadItemFields(item)) left.add(`input.${field}`)
    if (type === 'message') return readMessage(item, where)
    if (type === 'reasoning') return readReasoning(item)
    if (type === 'function_call') {
      const namespace = item['namespace']
      const name = toolName(text(item, 'name', where), typeof namespace === 'string' ? namespace : undefined)
      // Arguments that are not JSON stay as text.
      const json = text(item, 'arguments', where)
      return readCall(item, name, parseJson(json || '{}', json), where)
    }
    if (type === 'custom_tool_call') {
      return readCall(item, text(item, 'name', where), customInput(text(item, 'input', where)), where)
    }
    const called = clientCalls[type]
    if (called) return readCall(item, called.tool, item[called.field], where)
    if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      return readOutput(item, itemOutput(item['output'], { where: `${where}.output`, left }), where)
    }
    if (clientOutputs.has(type)) return readOutput(item, clientOutput(item), where)
    if (isHostedItem(type)) return say([{ type: 'text', text: `[${type}] ${hostedText(item)}` }])
    throw invalidItem(
      where,
      `an item of type ${type} has no place in a request to this gateway's models. Leave it out, or send its content as a message`,
    )
  }

  function readMessage({ role, content }: ResponseItem, where: string): void {
    const reader = { where: `${where}.content`, left }
    if (role === 'assistant') return say(itemTexts(content, reader))
    close()
    if (role === 'user') messages.push({ role, content: userItemContent(content, reader) })
    else if (role === 'system' || role === 'developer') {
      const texts = itemTexts(content, reader).map((part) => part.text)
      messages.push({ role: 'system', content: texts.join('\n') })
    } else throw invalidItem(where, `a message has the role user, assistant, system or developer, not ${String(role)}`)
  }

  /** What a model said before it called something is of the same step; what it said after an answer is of the next one. */
  function say(parts: readonly AssistantPart[]): void {
    closeAnswer()
    open.push(...parts)
  }

  function closeAnswer(): void {
    const said = open.some((part) => part.type === 'text')
    if (said && !open.some((part) => part.type === 'tool-call')) close()
  }

  function readReasoning(item: ResponseItem): void {
    // Only the provider that encrypted it can read it, and it gives it back in no other form.
    if (item['encrypted_content']) left.add('input.encrypted_content')
    const parts = [...listOf(item['summary']), ...listOf(item['content'])]
    const texts = parts.flatMap((part) => {
      const words = fieldsOf(part)['text']
      return typeof words === 'string' && words !== '' ? [words] : []
    })
    if (texts.length === 0) return
    closeAnswer()
    open.push(...texts.map((words) => ({ type: 'reasoning' as const, text: words })))
  }

  function readCall(item: ResponseItem, name: string, input: unknown, where: string): void {
    const id = callId(item)
    if (id === undefined) throw invalidItem(where, `an item of type ${item.type} needs a \`call_id\``)
    const call: ToolCallPart = { type: 'tool-call', toolCallId: id, toolName: name, input }
    // Some outputs name the item of the call instead.
    for (const each of [item.id, id]) if (typeof each === 'string') calls.set(each, call)
    open.push(call)
  }

  function readOutput(item: ResponseItem, output: ToolOutput, where: string): void {
    close()
    const id = callId(item) ?? ''
    const call = calls.get(id)
    // The sentence is OpenAI's own.
    if (!call) throw invalidItem(where, `No tool call found for function call output with call_id ${id}`)
    const { toolCallId, toolName: name } = call
    const part = { type: 'tool-result' as const, toolCallId, toolName: name, output }
    const before = messages.at(-1)
    if (before?.role === 'tool') messages[messages.length - 1] = { role: 'tool', content: [...before.content, part] }
    else messages.push({ role: 'tool', content: [part] })
  }

  function close(): void {
    if (open.length === 0) return
    const [only] = open
    const content = open.length === 1 && only?.type === 'text' ? only.text : open
    messages.push({ role: 'assistant', content })
    open = []
  }
}

function callId(item: ResponseItem): string | undefined {
  const id = item['call_id'] ?? item.id
  return typeof id === 'string' && id !== '' ? id : undefined
}

function text(item: ResponseItem, field: string, where: string): string {
  const value = item[field]
  if (typeof value === 'string') return value
  throw invalidItem(`${where}.${field}`, `an item of type ${item.type} needs a text here`)
}

/** A patch that fails can have a status alone. */
function clientOutput({ output, status }: ResponseItem): ToolOutput {
  const value = typeof output === 'string' ? output : JSON.stringify(output ?? { status: status ?? 'completed' })
  return { type: status === 'failed' ? 'error-text' : 'text', value }
}

/** What OpenAI's own tool did, without what only names the item. */
function hostedText({ id: _id, type: _type, status: _status, ...rest }: ResponseItem): string {
  return JSON.stringify(rest)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function invalidItem(where: string, why: string): HttpFailure {
  return new HttpFailure('invalid-input', `${where}: ${why}.`, { parameter: where })
}

/** Calls that the client runs, besides those of functions and custom tools: the tool that they call, and the field with its input. */
const clientCalls: Readonly<Record<string, { readonly tool: string; readonly field: string } | undefined>> = {
  local_shell_call: { tool: 'local_shell', field: 'action' },
  shell_call: { tool: 'shell', field: 'action' },
  apply_patch_call: { tool: 'apply_patch', field: 'operation' },
}

const clientOutputs: ReadonlySet<string> = new Set([
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
])

function isHostedItem(type: string): boolean {
  return HOSTED.has(type)
}

const HOSTED: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
])

/** Fields of an item that have a value and are not read. All fields of a hosted item are in its text. */
function unreadItemFields(item: ResponseItem): readonly string[] {
  const type = item.type ?? 'message'
  if (isHostedItem(type)) return []
  return Object.entries(item).flatMap(([key, value]) =>
    value === null || value === undefined || READ.has(key) ? [] : [key],
  )
}

const READ: ReadonlySet<string> = new Set([
  'type',
  'id',
  'status',
  'role',
  'content',
  'call_id',
  'name',
  'namespace',
  'arguments',
  'input',
  'output',
  'summary',
  'encrypted_content',
  'action',
  'operation',
])

type UserPart = Exclude<UserMessage['content'], string>[number]
type TextPart = Extract<Exclude<AssistantMessage['content'], string>[number], { type: 'text' }>

/** `left` collects what has no place, as `x-foreword-ignored` names it. */
interface ContentReader {
  /** Where the content is, such as `input.3.content`. */
  readonly where: string
  readonly left: Set<string>
}

function userItemContent(content: unknown, reader: ContentReader): UserMessage['content'] {
  if (typeof content === 'string') return content
  return partsOf(content, reader).map(({ part, where }): UserPart => {
    const file = fileOf(part, { ...reader, where })
    return file ? filePart(file) : { type: 'text', text: textOf(part, { ...reader, where }) }
  })
}

function itemTexts(content: unknown, reader: ContentReader): readonly TextPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return partsOf(content, reader).map(({ part, where }) => ({
    type: 'text',
    text: textOf(part, { ...reader, where }),
  }))
}

export function itemTextAndFiles(
  content: unknown,
  reader: ContentReader,
): { readonly text: string; readonly files: readonly InlineFile[] } {
  if (typeof content === 'string') return { text: content, files: [] }
  const texts: string[] = []
  const files: InlineFile[] = []
  for (const { part, where } of partsOf(content, reader)) {
    const file = fileOf(part, { ...reader, where })
    if (file) files.push(file)
    else texts.push(textOf(part, { ...reader, where }))
  }
  return { text: texts.join('\n'), files }
}

function itemOutput(output: unknown, reader: ContentReader): ToolOutput {
  if (typeof output === 'string') return { type: 'text', value: output }
  if (!Array.isArray(output)) throw unreadable(reader.where, 'the output must be a text or an array of parts')
  const value = partsOf(output, reader).map(({ part, where }) => {
    const file = fileOf(part, { ...reader, where })
    return file ? filePart(file) : { type: 'text' as const, text: textOf(part, { ...reader, where }) }
  })
  return { type: 'content', value: value as Extract<ToolOutput, { type: 'content' }>['value'] }
}

type Fields = Readonly<Record<string, unknown>>

function partsOf(
  content: unknown,
  { where }: ContentReader,
): readonly { readonly part: Fields; readonly where: string }[] {
  if (!Array.isArray(content)) throw unreadable(where, 'the content must be a text or an array of parts')
  return content.map((part, at) => ({ part: fieldsOf(part), where: `${where}.${at}` }))
}

function textOf(part: Fields, { where, left }: ContentReader): string {
  const { type } = part
  const said = type === 'refusal' ? part['refusal'] : part['text']
  if (TEXT_TYPES.has(String(type)) && typeof said === 'string') {
    leaveOut(part, left, ['type', 'text', 'refusal'])
    return said
  }
  throw unreadable(where, `a part of type ${String(type)} has no place here. Send its content as text`)
}

const TEXT_TYPES: ReadonlySet<string> = new Set([
  'input_text',
  'output_text',
  'text',
  'refusal',
  'summary_text',
  'reasoning_text',
])

function fileOf(part: Fields, { where, left }: ContentReader): InlineFile | undefined {
  if (part['type'] === 'input_image') {
    const url = part['image_url']
    if (typeof url !== 'string')
      throw unreadable(where, 'an image must be a data: URL in `image_url`. Ids of files are not supported')
    if (part['detail'] !== 'auto') leaveOut(part, left, ['type', 'image_url'])
    return imageFile(inlineFile(url, `${where}.image_url`), `${where}.image_url`)
  }
  if (part['type'] !== 'input_file') return undefined
  const { file_data: data, filename } = part
  if (typeof data !== 'string') {
    throw unreadable(where, 'a file must be in `file_data`. Ids and addresses of files are not supported')
  }
  leaveOut(part, left, ['type', 'file_data', 'filename'])
  const name = typeof filename === 'string' ? filename : undefined
  const url = /^data:/i.test(data) || !/\.pdf$/i.test(name ?? '') ? data : `data:application/pdf;base64,${data}`
  return inlineFile(url, `${where}.file_data`, name)
}

/** Empty lists, such as those of annotations, say nothing. */
function leaveOut(part: Fields, left: Set<string>, read: readonly string[]): void {
  for (const [key, value] of Object.entries(part)) {
    const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0)
    if (!isEmpty && !read.includes(key)) left.add(`input.content.${key}`)
  }
}

function unreadable(where: string, why: string): HttpFailure {
  return new HttpFailure('invalid-input', `${where}: ${why}.`, { parameter: where })
}
