import { defined, isObject, sha256 } from '../platform.ts'
import type {
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4FileData,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import {
  type AnyMessage,
  type AssistantMessage,
  type ImageSupport,
  isImageNote,
  isTextThinking,
  markImages,
  outputText,
  type ToolDefinition,
  type ToolMessage,
  type ToolOutput,
  type ToolResultPart,
  type UserMessage,
} from '../context.ts'
import { type RequestChanges, UNSEALED_EARLIER, UNSEALED } from './body-changes.ts'
import type { PromptCorrection, Model, ModelRequest } from './model.ts'

/** A prompt, and how often it has something in another form than a model said it. */
export interface WrittenPrompt {
  readonly prompt: LanguageModelV4Prompt
  readonly corrections: Readonly<Partial<Record<PromptCorrection, number>>>
}

/**
 * Converts a request to a prompt of the AI SDK. An image that cannot reach the model becomes the marker of the assembly. Where the
 * API has no images in tool results (`richResults` is false), results are texts, and their images follow in a message of the user.
 * `reader`: who can read reasoning that is sealed; anyone unless given.
 */
export function toPrompt(
  request: ModelRequest,
  support: ImageSupport,
  { reader, changes = {}, richResults = true }: PromptRules = {},
): WrittenPrompt {
  const corrections: Partial<Record<PromptCorrection, number>> = {}
  const note = (correction: PromptCorrection) => void (corrections[correction] = (corrections[correction] ?? 0) + 1)
  const writer: Writer = { ids: acceptedIds(note), note, reader, isUnsealed: false, richResults }
  const loop = UNSEALED in changes ? Infinity : UNSEALED_EARLIER in changes ? loopStart(request.messages) : 0
  const messages = request.messages
    .flatMap((message, at) => {
      const marked = markImages(message, support)?.message ?? message
      const own = at < loop ? { ...writer, isUnsealed: true } : writer
      return marked.role === 'tool' && !richResults
        ? withImagesBehind(marked, note).map((each) => toMessage(each, own))
        : toMessage(marked, own)
    })
    // What has nothing that a server accepts is no message: an answer that was blank, or broke off in its reasoning.
    .filter(({ role, content }) => role !== 'assistant' || content.length > 0)
  const system = request.system && wellFormed(request.system, note)
  return { prompt: system ? [{ role: 'system', content: system }, ...messages] : messages, corrections }
}

interface PromptRules {
  readonly reader?: string
  readonly changes?: RequestChanges | undefined
  readonly richResults?: boolean
}

/** What the parts of one prompt are written with. */
interface Writer {
  readonly ids: AcceptedIds
  readonly note: Note
  readonly reader: string | undefined
  /** Nothing sealed goes back. */
  readonly isUnsealed: boolean
  /** Results of tools can have images. */
  readonly richResults: boolean
}

type Note = (correction: PromptCorrection) => void

/** Where the calls begin whose results a model has not answered: their reasoning has to stay with them. */
function loopStart(messages: readonly AnyMessage[]): number {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  if (messages[last + 1]?.role !== 'tool') return messages.length
  return messages.findLastIndex(({ role }, at) => at < last && role === 'user') + 1
}

/** Which images and recordings reach a model: by what it sees and hears, and by the API of its provider. */
export function modelImageSupport({ facts, carries }: Pick<Model, 'facts' | 'carries'>): ImageSupport {
  const hears = facts.audio === true && (carries === undefined || carries.audio === true)
  return {
    seen: facts.vision,
    ...(hears && { audio: true as const }),
    inResults: true,
    byAddress: carries?.imageAddresses ?? true,
  }
}

/** Results without their images and recordings, and a message of the user that has these, each group under the note that names its tool. */
function withImagesBehind(message: ToolMessage, note: Note): readonly AnyMessage[] {
  const images: OutputPart[] = []
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || part.output.type !== 'content' || !part.output.value.some(isImage)) return part
    const { moved = [], kept = [] } = Object.groupBy(part.output.value, (each) =>
      isImage(each) || isImageNote(each) ? 'moved' : 'kept',
    )
    images.push(...moved)
    return { ...part, output: { ...part.output, value: kept } }
  })
  return images.length === 0
    ? [message]
    : [
        { ...message, content },
        { role: 'user', content: images.map((part) => contentPart(part, note)) as UserMessage['content'] },
      ]
}

function isImage(part: OutputPart): boolean {
  const sent = contentPart(part, () => {})
  return sent.type === 'file' && /^(?:image|audio)/.test(sent.mediaType)
}

export function toFunctionTools(tools: readonly ToolDefinition[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema, strict }) => ({
    type: 'function',
    name,
    ...defined({ description }),
    inputSchema,
    ...defined({ strict }),
  }))
}

function toMessage(message: AnyMessage, writer: Writer): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: wellFormed(message.content, writer.note), ...providerOptions(message) }
    case 'user': {
      const said: Exclude<UserMessage['content'], string> =
        typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
      const content = said.map((part) =>
        part.type === 'text'
          ? { type: part.type, text: wellFormed(part.text, writer.note), ...providerOptions(part) }
          : filePart(part),
      )
      return { role: 'user', content, ...providerOptions(message) }
    }
    case 'assistant':
      return { role: 'assistant', content: assistantContent(message.content, writer), ...providerOptions(message) }
    case 'tool': {
      const results = message.content.filter((part) => part.type === 'tool-result')
      return { role: 'tool', content: results.map((part) => resultPart(part, writer)), ...providerOptions(message) }
    }
  }
}

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']

/** Blank texts are left out, and reasoning that nothing follows: servers refuse both. */
function assistantContent(content: AssistantMessage['content'], writer: Writer): AssistantContent {
  const { ids, note } = writer
  if (typeof content === 'string') {
    if (content.trim() !== '') return [{ type: 'text', text: wellFormed(content, note) }]
    note('blank-text')
    return []
  }
  ids.begin()
  const parts: AssistantContent = []
  for (const part of content) {
    if (part.type === 'reasoning' && isTextThinking(part)) note('reasoning')
    else if (part.type === 'text' && part.text.trim() === '') note('blank-text')
    else if (part.type === 'text' || part.type === 'reasoning') {
      const own = ids.ofItem(readableOptions(part, writer))
      // Encrypted reasoning has no text of its own.
      if (part.text !== '' || own.providerOptions) {
        parts.push({ type: part.type, text: wellFormed(part.text, note), ...own })
      }
    } else if (part.type === 'tool-call') {
      const { toolCallId, toolName, providerExecuted } = part
      const isInput = isObject(part.input)
      if (!isInput) note('arguments')
      parts.push({
        type: 'tool-call',
        toolCallId: ids.ofCall(toolCallId),
        toolName: acceptedName(toolName, note),
        // Invalid JSON is the text that the model wrote; providers require an object.
        input: wellFormedValue(isInput ? part.input : part.input === undefined ? {} : { input: part.input }, note),
        ...defined({ providerExecuted }),
        ...readableOptions(part, writer),
      })
    } else if (part.type === 'tool-result') parts.push(resultPart(part, writer))
    else if (part.type === 'file') parts.push(filePart(part))
    else if (part.type === 'custom') parts.push(part)
  }
  const accepted = parts.slice(0, parts.findLastIndex(({ type }) => type !== 'reasoning') + 1)
  for (const _ of parts.slice(accepted.length)) note('reasoning')
  return accepted
}

/**
 * The options of a part, as far as the server of this request can read them: what another server, account or model has
 * signed or encrypted is refused there. Parts of earlier versions name nobody.
 */
function readableOptions(
  part: { readonly providerOptions?: SharedV4ProviderOptions },
  { reader, isUnsealed, note }: Writer,
): { readonly providerOptions?: SharedV4ProviderOptions } {
  const { foreword, ...options } = part.providerOptions ?? {}
  if (Object.keys(options).length === 0) return {}
  const of = foreword?.['sealedFor']
  if (!isUnsealed && (of === undefined || reader === undefined || of === reader)) return { providerOptions: options }
  note('seal')
  return {}
}

function resultPart(part: ToolResultPart, { ids, richResults, note }: Writer): LanguageModelV4ToolResultPart {
  const { toolCallId, toolName } = part
  return {
    type: 'tool-result',
    toolCallId: ids.ofResult(toolCallId),
    toolName: acceptedName(toolName),
    output: toolOutput(part.output, richResults, note),
    ...providerOptions(part),
  }
}

/**
 * The name or the id of a call in the form that every API accepts: what a model made up is sent back to it in every later
 * request, and one that is refused there would end the conversation. The log keeps what the model said.
 */
function acceptedName(name: string, note?: Note, most = 64): string {
  if (/^[a-zA-Z0-9_-]+$/.test(name) && name.length <= most) return name
  note?.('tool-name')
  // Two that differ stay two.
  return `${name.replaceAll(/[^a-zA-Z0-9_-]+/g, '_').slice(0, Math.min(50, most - 9))}_${sha256(name).slice(0, 8)}`
}

/** The shortest limit of any API, that of Chat Completions. */
const LONGEST_ID = 40

type AcceptedIds = ReturnType<typeof acceptedIds>

/**
 * The ids of one request: each in a form that servers accept, and each once, since a model may give an id again in a later
 * answer. A result has the id of the call that it answers.
 */
function acceptedIds(note: Note) {
  const used = new Set<string>()
  /** By id, the last number that was tried to tell it apart. */
  const times = new Map<string, number>()
  const waiting = new Map<string, string[]>()
  const items = new Set<unknown>()
  /** The newest item of the message, and whether it came in an earlier one. */
  let newest: { readonly itemId: unknown; readonly isNew: boolean } | undefined
  return {
    /** Another message begins: an item is within one. */
    begin: () => void (newest = undefined),
    ofCall(id: string): string {
      let accepted = acceptedName(id, undefined, LONGEST_ID)
      let time = times.get(id) ?? 1
      // Whatever an earlier time of this id has tried is used.
      while (used.has(accepted)) accepted = acceptedName(`${id} ${(time += 1)}`, undefined, LONGEST_ID)
      times.set(id, time)
      used.add(accepted)
      if (accepted !== id) note('call-id')
      const before = waiting.get(id)
      if (before) before.push(accepted)
      else waiting.set(id, [accepted])
      return accepted
    },
    ofResult: (id: string): string => waiting.get(id)?.shift() ?? acceptedName(id, undefined, LONGEST_ID),
    /** The options of a part, without the id of an item that came before or that no server of the API has made. */
    ofItem(part: { readonly providerOptions?: SharedV4ProviderOptions }): {
      providerOptions?: SharedV4ProviderOptions
    } {
      const found = Object.entries(part.providerOptions ?? {}).find(([, options]) => 'itemId' in options)
      if (!found) return providerOptions(part)
      const [provider, { itemId, ...options }] = found
      // The parts of one item follow each other.
      if (itemId !== newest?.itemId) newest = { itemId, isNew: !items.has(itemId) }
      items.add(itemId)
      const isAccepted =
        newest?.isNew && typeof itemId === 'string' && /^(?:rs|msg|fc)_[a-zA-Z0-9_-]{1,60}$/.test(itemId)
      if (isAccepted) return providerOptions(part)
      note('item-id')
      return { providerOptions: { ...part.providerOptions, [provider]: options } }
    },
  }
}

/** A text without half characters: servers refuse a body that has one. */
function wellFormed(text: string, note: Note): string {
  if (text.isWellFormed()) return text
  note('character')
  return text.toWellFormed()
}

function wellFormedValue(value: unknown, note: Note): unknown {
  if (typeof value === 'string') return wellFormed(value, note)
  if (Array.isArray(value)) return value.map((each) => wellFormedValue(each, note))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [wellFormed(name, note), wellFormedValue(each, note)]),
  )
}

function providerOptions<T>(part: { readonly providerOptions?: T }): { providerOptions?: T } {
  return part.providerOptions === undefined ? {} : { providerOptions: part.providerOptions }
}

/**
 * Converts a tool's output for the AI SDK, with media in the current form. An API with texts only as results (`rich` is
 * false) gets the text of the parts instead of their JSON.
 */
function toolOutput(output: ToolOutput, rich: boolean, note: Note): LanguageModelV4ToolResultOutput {
  if (output.type === 'execution-denied') return output
  if (output.type !== 'content') return { ...output, value: wellFormedValue(output.value, note) } as typeof output
  return rich
    ? { type: 'content', value: output.value.map((part) => contentPart(part, note)) }
    : { type: 'text', value: wellFormed(outputText(output), note) }
}

type OutputPart = Extract<ToolOutput, { type: 'content' }>['value'][number]
type WirePart = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number]

function contentPart(part: OutputPart, note: Note): WirePart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: wellFormed(part.text, note) }
    case 'custom':
      return part
    case 'file':
      return filePart(part)
    case 'file-data':
    case 'image-data':
      return filePart({ type: 'file', mediaType: part.mediaType, data: part.data })
    case 'file-url':
    case 'image-url': {
      const { mediaType = part.type === 'image-url' ? 'image' : 'application/octet-stream' } = part as {
        mediaType?: string
      }
      return filePart({ type: 'file', mediaType, data: new URL(part.url) })
    }
    default:
      return { type: 'text', text: `[${part.type}]` }
  }
}

type MediaPart = Extract<Exclude<UserMessage['content'], string>[number], { type: 'image' | 'file' }>

/** Converts an image or file for the AI SDK. A text file becomes its text. */
function filePart(part: MediaPart): LanguageModelV4FilePart | LanguageModelV4TextPart {
  const mediaType = part.mediaType ?? 'image'
  const filename = part.type === 'file' ? part.filename : undefined
  const data = fileData(part.type === 'image' ? part.image : part.data)
  if (data.type === 'text') return { type: 'text', text: data.text }
  return { type: 'file', mediaType, data, ...defined({ filename }) }
}

/** Reads bytes, base64, `data:` and web addresses, and the AI SDK's tagged forms, also after a round trip through JSON. */
function fileData(data: unknown): SharedV4FileData {
  if (typeof data === 'string') {
    const inline = /^data:[^,]*;base64,/.exec(data)
    if (inline) return { type: 'data', data: data.slice(inline[0].length) }
    return /^https?:\/\//.test(data) ? { type: 'url', url: new URL(data) } : { type: 'data', data }
  }
  if (data instanceof URL) return { type: 'url', url: data }
  if (data instanceof Uint8Array) return { type: 'data', data }
  if (data instanceof ArrayBuffer) return { type: 'data', data: new Uint8Array(data) }
  const tagged = data as { type?: unknown; data?: unknown; url?: unknown; text?: unknown; reference?: unknown }
  if (tagged.type === 'data' && tagged.data !== undefined) return fileData(tagged.data)
  if (tagged.type === 'url' && typeof tagged.url === 'string') return { type: 'url', url: new URL(tagged.url) }
  if (tagged.type === 'url' && tagged.url instanceof URL) return { type: 'url', url: tagged.url }
  if (tagged.type === 'text' && typeof tagged.text === 'string') return { type: 'text', text: tagged.text }
  const reference = tagged.type === 'reference' ? tagged.reference : data
  return { type: 'reference', reference: reference as Record<string, string> }
}
