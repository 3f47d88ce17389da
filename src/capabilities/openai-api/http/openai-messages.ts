import type { AnyMessage, Message, ToolDefinition, UserMessage } from '../../../context.ts'
import { filePart, HttpFailure, imageFile, type InlineFile, inlineFile } from '../../../server.ts'
import type { CompletionBody, OpenaiContent, OpenaiMessage, OpenaiPart } from './openai-schema.ts'

/** Throws an `HttpFailure` for an invalid request. */
export function coreMessages(messages: readonly OpenaiMessage[]): readonly AnyMessage[] {
  const toolNames = new Map<string, string>()
  const own = messages.map((message, at): AnyMessage => {
    const where = `messages.${at}`
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', content: textContent(message.content, where) }
      case 'user':
        return { role: 'user', content: userContent(message.content, where) }
      case 'assistant':
        for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name)
        return assistantMessage(message, where)
      case 'tool':
        return toolMessage(message, toolNames, where)
    }
  })
  return joinResults(own)
}

/** The last message, which must be the user's. */
export function lastInput(messages: readonly OpenaiMessage[]): ReturnType<typeof textAndFiles> {
  const at = messages.length - 1
  const last = messages[at]!
  if (last.role !== 'user') {
    throw new HttpFailure('invalid-input', 'Invalid request: in a session, the last message must have the role user.')
  }
  const said = textAndFiles(last.content, `messages.${at}`)
  if (said.text.trim() === '' && said.files.length === 0) {
    throw new HttpFailure('invalid-input', 'Invalid request: the last message is empty.')
  }
  return said
}

export function toolDefinitions({ tools }: CompletionBody): readonly ToolDefinition[] {
  return (tools ?? []).map(({ function: { name, description, parameters, strict } }) => ({
    name,
    ...(description ? { description } : {}),
    inputSchema: parameters ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }))
}

function assistantMessage(message: Extract<OpenaiMessage, { role: 'assistant' }>, where: string): Message {
  const text = message.content ? textContent(message.content, where) : ''
  const calls = (message.tool_calls ?? []).map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.function.name,
    input: parsed(call.function.arguments),
  }))
  const thought = message.reasoning_content ?? message.reasoning ?? ''
  const reasoning = thought === '' ? [] : [{ type: 'reasoning' as const, text: thought }]
  if (calls.length === 0 && reasoning.length === 0) return { role: 'assistant', content: text }
  const words = text === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text }]
  return { role: 'assistant', content: [...reasoning, ...words, ...calls] }
}

function toolMessage(
  message: Extract<OpenaiMessage, { role: 'tool' }>,
  toolNames: ReadonlyMap<string, string>,
  where: string,
): Message {
  const toolCallId = message.tool_call_id
  const toolName = toolNames.get(toolCallId)
  if (toolName === undefined) {
    throw new HttpFailure('invalid-input', `${where}: no assistant message before it made the call ${toolCallId}.`)
  }
  const output = { type: 'text' as const, value: textContent(message.content, where) }
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
}

function joinResults(messages: readonly AnyMessage[]): readonly AnyMessage[] {
  const joined: AnyMessage[] = []
  for (const message of messages) {
    const before = joined.at(-1)
    if (message.role === 'tool' && before?.role === 'tool') {
      joined[joined.length - 1] = { role: 'tool', content: [...before.content, ...message.content] }
    } else {
      joined.push(message)
    }
  }
  return joined
}

/** Arguments that are not JSON stay as text. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json === '' ? '{}' : json)
  } catch {
    return json
  }
}

type Part = Exclude<UserMessage['content'], string>[number]

function userContent(content: OpenaiContent, where: string): UserMessage['content'] {
  if (typeof content === 'string') return content
  return content.map((part, at) => userPart(part, `${where}.content.${at}`))
}

function textAndFiles(
  content: OpenaiContent,
  where: string,
): { readonly text: string; readonly files: readonly InlineFile[] } {
  if (typeof content === 'string') return { text: content, files: [] }
  const texts: string[] = []
  const files: InlineFile[] = []
  for (const [at, part] of content.entries()) {
    const file = readFilePart(part, `${where}.content.${at}`)
    if (file) files.push(file)
    else texts.push(readTextPart(part, `${where}.content.${at}`))
  }
  return { text: texts.join('\n'), files }
}

function textContent(content: OpenaiContent, where: string): string {
  if (typeof content === 'string') return content
  return content.map((part, at) => readTextPart(part, `${where}.content.${at}`)).join('\n')
}

function userPart(part: OpenaiPart, where: string): Part {
  const file = readFilePart(part, where)
  if (!file) return { type: 'text', text: readTextPart(part, where) }
  return filePart(file)
}

function readFilePart(part: OpenaiPart, where: string): InlineFile | undefined {
  if (part.type === 'image_url') {
    const url = typeof part.image_url === 'string' ? part.image_url : (part.image_url?.url ?? '')
    return imageFile(inlineFile(url, `${where}.image_url.url`), `${where}.image_url.url`)
  }
  if (part.type !== 'file') return undefined
  const { file_data: url, filename } = part.file ?? {}
  if (url === undefined)
    throw unsupportedPart(where, 'a file must be a data: URL in `file_data`. File ids are not supported')
  return inlineFile(url, `${where}.file.file_data`, filename ?? undefined)
}

function readTextPart({ type, text, refusal }: OpenaiPart, where: string): string {
  const words = type === 'refusal' ? refusal : text
  if ((type === 'text' || type === 'refusal') && words !== undefined) return words
  throw unsupportedPart(where, `a part of type ${type} is not supported`)
}

function unsupportedPart(where: string, why: string): HttpFailure {
  return new HttpFailure('invalid-input', `${where}: ${why}.`, { parameter: where })
}
