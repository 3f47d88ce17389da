import type {
  AnyMessage,
  AssistantMessage,
  Message,
  ToolOutput,
  ToolResultPart,
  UserMessage,
} from '../../../context.ts'
import { filePart, HttpFailure, type InlineFile, imageFile, inlineFile } from '../../../server.ts'
import type { AnthropicBlock, AnthropicMessage, MessagesBody } from './anthropic-schema.ts'
import { readSignature } from './signature.ts'

/** The conversation of a request in the format of the core, its system texts first. Throws an `HttpFailure` for an invalid one. */
export function conversationOf({ system, messages }: Pick<MessagesBody, 'system' | 'messages'>): readonly AnyMessage[] {
  const texts = typeof system === 'string' ? [system] : (system ?? []).map(({ text }) => text)
  const toolNames = new Map<string, string>()
  return [
    ...texts.filter((text) => text !== '').map((content) => ({ role: 'system' as const, content })),
    ...messages.flatMap((message, at) => coreMessage(message, `messages.${at}`, toolNames)),
  ]
}

/** What a session is told: the text and the files of the last message, which must be the user's. */
export function lastUserMessage(messages: readonly AnthropicMessage[]): {
  readonly text: string
  readonly files: readonly InlineFile[]
} {
  const at = messages.length - 1
  const { role, content } = messages[at]!
  if (role !== 'user') {
    throw new HttpFailure('invalid-input', 'Invalid request: in a session, the last message must have the role user.')
  }
  const texts: string[] = []
  const files: InlineFile[] = []
  for (const [index, block] of asBlocks(content).entries()) {
    const where = `messages.${at}.content.${index}`
    const file = fileOf(block, where)
    if (file) files.push(file)
    else if (block.type === 'text') texts.push(block.text ?? '')
    else
      throw unsupportedBlock(
        where,
        `in a session, where the gateway runs its own tools, ${block.type} is not supported`,
      )
  }
  const text = texts.join('\n')
  if (text.trim() === '' && files.length === 0) {
    throw new HttpFailure('invalid-input', 'Invalid request: the last message is empty.')
  }
  return { text, files }
}

function asBlocks(content: AnthropicMessage['content']): readonly AnthropicBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function coreMessage(
  { role, content }: AnthropicMessage,
  where: string,
  toolNames: Map<string, string>,
): readonly AnyMessage[] {
  if (role === 'system') {
    const texts = asBlocks(content).map((block, at) => textOf(block, `${where}.content.${at}`))
    return [{ role, content: texts.join('\n') }]
  }
  if (typeof content === 'string') return [{ role, content }]
  if (role === 'assistant')
    return [
      {
        role: 'assistant',
        content: content.map((block, at) => assistantPart(block, `${where}.content.${at}`, toolNames)),
      },
    ]
  return userMessages(content, where, toolNames)
}

type AssistantPart = Exclude<AssistantMessage['content'], string>[number]

function assistantPart(block: AnthropicBlock, where: string, toolNames: Map<string, string>): AssistantPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: textOf(block, where) }
    case 'thinking':
      return { type: 'reasoning', text: block.thinking ?? '', ...readSignature(block.signature) }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: block.data ?? '' } } }
    case 'tool_use': {
      const { id, name, input = {} } = block
      if (!id || !name) throw unsupportedBlock(where, 'tool_use needs an id and a name')
      toolNames.set(id, name)
      return { type: 'tool-call', toolCallId: id, toolName: name, input }
    }
    default:
      throw unsupportedBlock(where, `a block of type ${block.type} is not supported in a message of the assistant`)
  }
}

type UserPart = Exclude<UserMessage['content'], string>[number]

/** The results of tools and what a person says are messages of their own in the core, in the order of the blocks. */
function userMessages(
  blocks: readonly AnthropicBlock[],
  where: string,
  toolNames: ReadonlyMap<string, string>,
): readonly Message[] {
  const messages: ({ role: 'tool'; content: ToolResultPart[] } | { role: 'user'; content: UserPart[] })[] = []
  for (const [index, block] of blocks.entries()) {
    const at = `${where}.content.${index}`
    const last = messages.at(-1)
    if (block.type === 'tool_result') {
      const part = resultPart(block, at, toolNames)
      if (last?.role === 'tool') last.content.push(part)
      else messages.push({ role: 'tool', content: [part] })
    } else {
      const file = fileOf(block, at)
      const part: UserPart = file ? filePart(file) : { type: 'text', text: textOf(block, at) }
      if (last?.role === 'user') last.content.push(part)
      else messages.push({ role: 'user', content: [part] })
    }
  }
  return messages.length === 0 ? [{ role: 'user', content: [] }] : messages
}

function resultPart(block: AnthropicBlock, where: string, toolNames: ReadonlyMap<string, string>): ToolResultPart {
  const toolCallId = block.tool_use_id ?? ''
  const toolName = toolNames.get(toolCallId)
  if (toolName === undefined) {
    throw new HttpFailure(
      'invalid-input',
      `${where}: unexpected \`tool_use_id\` in a \`tool_result\` block: no message before it has a \`tool_use\` block with the id ${JSON.stringify(toolCallId)}.`,
      { parameter: where },
    )
  }
  return { type: 'tool-result', toolCallId, toolName, output: resultOutput(block, where) }
}

/** One text stays a text. A failure with several texts is one text: only a text can be marked as a failure. */
function resultOutput({ content, is_error: fails }: AnthropicBlock, where: string): ToolOutput {
  const type = fails ? 'error-text' : 'text'
  if (typeof content === 'string' || !content) return { type, value: content ?? '' }
  const parts = content.map((inner, at) => resultContent(inner, `${where}.content.${at}`))
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const isText = texts.length === parts.length
  if (isText && (fails || texts.length <= 1)) return { type, value: texts.join('\n') }
  return { type: 'content', value: parts }
}

type ResultContent = Extract<ToolOutput, { type: 'content' }>['value'][number]

function resultContent(block: AnthropicBlock, where: string): ResultContent {
  // All tools are offered from the beginning, so there is nothing to load.
  if (block.type === 'tool_reference') return { type: 'text', text: `The tool ${block.tool_name ?? ''} can be called.` }
  const file = fileOf(block, where)
  if (!file) return { type: 'text', text: textOf(block, where) }
  const part = filePart(file)
  if (file.mediaType.startsWith('text/')) return { type: 'text', text: Buffer.from(file.bytes).toString('utf8') }
  const { mediaType, filename, providerOptions } = part
  const data = Buffer.from(file.bytes).toString('base64')
  return {
    type: 'file',
    mediaType,
    ...(filename === undefined ? {} : { filename }),
    data: { type: 'data', data },
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}

function textOf({ type, text }: AnthropicBlock, where: string): string {
  if (type === 'text' && text !== undefined) return text
  throw unsupportedBlock(where, `a block of type ${type} is not supported here`)
}

/** The file of an image or a document; `undefined` for any other block. Throws an `HttpFailure` for one that cannot be passed on. */
function fileOf(block: AnthropicBlock, where: string): InlineFile | undefined {
  const { type, source, title } = block
  if (type !== 'image' && type !== 'document') return undefined
  const at = `${where}.source`
  if (!source) throw unsupportedBlock(at, `${type} needs a source`)
  const { data, url, media_type: mediaType } = source
  const checked = (file: InlineFile) => (type === 'image' ? imageFile(file, at) : file)
  switch (source.type) {
    case 'base64':
      return checked(
        inlineFile(
          `data:${mediaType ?? 'application/octet-stream'};base64,${data ?? ''}`,
          `${at}.data`,
          title ?? undefined,
        ),
      )
    case 'url':
      return checked(inlineFile(url ?? '', `${at}.url`, title ?? undefined))
    case 'text':
      return textFile(title, data ?? '')
    case 'content':
      return textFile(title, contentText(source.content))
    default:
      throw unsupportedBlock(at, `a source of type ${source.type} is not supported. Send the file itself, as base64`)
  }
}

function unsupportedBlock(where: string, why: string): HttpFailure {
  return new HttpFailure('invalid-input', `${where}: ${why}.`, { parameter: where })
}

function textFile(title: string | null | undefined, text: string): InlineFile {
  return { name: title || 'file.txt', mediaType: 'text/plain', bytes: Buffer.from(text, 'utf8') }
}

function contentText(content: string | readonly { readonly text?: string | undefined }[] | undefined): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n')
}
