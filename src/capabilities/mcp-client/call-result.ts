import { defined, elementsOf, fieldsOf, isObject, parseJson } from '../../platform.ts'
import type { ToolImage, ToolResult } from '../../tool.ts'
import { countedText } from '../../context.ts'

/** What a tool of a server has answered. */
export interface CallResult {
  readonly content?: readonly ContentPart[] | undefined
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

type ContentPart = Readonly<Record<string, unknown>> & { readonly type: string }

/**
 * A message of a server in a form that the library reads. The library refuses a whole result for one odd field, after the
 * tool has done its work: what can be read is kept, and what cannot be is named in its place.
 */
export function readableMessage(message: unknown): unknown {
  const { result } = fieldsOf(message)
  if (!isObject(result) || !('content' in result || 'structuredContent' in result)) return message
  const { content, structuredContent, isError, _meta: meta, ...rest } = result
  const parts =
    content === undefined || content === null ? [] : Array.isArray(content) ? elementsOf(content) : [content]
  const isStructured = isObject(structuredContent)
  const beside =
    isStructured || structuredContent === undefined || structuredContent === null ? [] : [structuredContent]
  return {
    ...fieldsOf(message),
    result: {
      ...rest,
      content: [...parts, ...beside].filter((part) => part !== null).map(readablePart),
      ...(isStructured && { structuredContent }),
      ...(isError !== undefined && isError !== null && { isError: isError === true || isError === 'true' }),
      ...(isObject(meta) && { _meta: meta }),
    },
  }
}

/** Annotations of a part are for the programs of people, and left out. */
function readablePart(value: unknown): ContentPart {
  if (!isObject(value)) return textPart(typeof value === 'string' ? value : JSON.stringify(value))
  const {
    annotations: _,
    _meta: __,
    ...part
  } = Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
  const type = texts(part)['type'] ?? (part['text'] === undefined ? undefined : 'text')
  switch (type) {
    case 'text': {
      const { text = '' } = part
      return textPart(typeof text === 'string' ? text : JSON.stringify(text))
    }
    case 'image':
    case 'audio':
      return readableBytes(type, part)
    case 'resource_link': {
      const { uri, name, title, description, mimeType } = texts(part)
      if (uri === undefined) return textPart('[a resource without an address]')
      return { type, uri, name: name ?? uri, ...defined({ title, description, mimeType }) }
    }
    case 'resource': {
      const { uri = '', mimeType, text, blob } = texts(fieldsOf(part['resource']))
      if (text === undefined && blob === undefined) return textPart(`[resource ${uri}: without content]`)
      return { type, resource: { uri, ...defined({ mimeType }), ...(text === undefined ? { blob } : { text }) } }
    }
    default: {
      const { text } = texts(part)
      return textPart(
        `[${word(type)}: content of a kind that is not known here]${text === undefined ? '' : `\n${text}`}`,
      )
    }
  }
}

/** Bytes in base64. Some servers send a `data:` address. */
function readableBytes(type: 'image' | 'audio', part: Readonly<Record<string, unknown>>): ContentPart {
  const { data, mimeType } = texts(part)
  if (data === undefined) return textPart(`[${type} without data]`)
  const address = /^data:(?<mime>[^,;]*)[^,]*,(?<data>.*)$/s.exec(data)?.groups
  const base64 = (address?.['data'] ?? data).replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return textPart(`[${type} whose data is not base64]`)
  return { type, data: base64, mimeType: mimeType ?? (address?.['mime'] || 'application/octet-stream') }
}

function textPart(text: string): ContentPart {
  return { type: 'text', text }
}

/** The fields that are texts. */
function texts(value: Readonly<Record<string, unknown>>): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === 'string')) as Record<
    string,
    string
  >
}

/** Images, recordings and other bytes are named; images and recordings come along, too. Structured content follows where it says more than the text. */
export function renderResult(result: CallResult, clean: (text: string) => string): ToolResult {
  const parts = (result.content ?? []).map(partText).filter((text) => text !== '')
  const { structuredContent } = result
  const structured = isInTexts(structuredContent, parts) ? [] : [JSON.stringify(structuredContent)]
  const text = clean([...parts, ...structured].join('\n'))
  const meta = { bytes: Buffer.byteLength(text) }
  if (result.isError === true)
    return { ok: false, error: text === '' ? 'the tool failed without saying why' : text, meta }
  const images = (result.content ?? []).flatMap(partImage)
  return { ok: true, output: text, ...(images.length > 0 ? { images } : {}), meta }
}

/** An image or a recording, also one that is a resource. What it is, its bytes say. */
function partImage({ type, data, resource }: ContentPart): readonly ToolImage[] {
  const { mimeType, blob } = texts(fieldsOf(resource))
  const isMedia = type === 'image' || type === 'audio'
  const base64 = isMedia ? data : type === 'resource' && /^(?:image|audio)\//.test(mimeType ?? '') ? blob : undefined
  return typeof base64 === 'string' ? [{ bytes: Buffer.from(base64, 'base64') }] : []
}

/** Whether texts have everything that a structured content says: as JSON, or each of its values. */
function isInTexts(structured: unknown, parts: readonly string[]): boolean {
  if (structured === undefined) return true
  const json = JSON.stringify(structured)
  if (parts.some((text) => JSON.stringify(parseJson(text)) === json)) return true
  const text = parts.join('\n')
  const values = leaves(structured)
  return text !== '' && values.length > 0 && values.every((value) => text.includes(value))
}

function leaves(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves)
  if (typeof value === 'string') return value === '' ? [] : [value]
  return value === null ? [] : [JSON.stringify(value)]
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return plainText(typeof part['text'] === 'string' ? part['text'] : '')
    case 'image':
    case 'audio':
      return `[${part.type} ${word(part['mimeType'])}, ${base64Size(part['data'])}]`
    case 'resource_link':
      return `[resource ${words(part['uri'], part['name'], part['mimeType'])}]`
    case 'resource':
      return resourceText(part['resource'])
    default:
      return `[${word(part.type)}: content of a kind that is not known here]`
  }
}

function resourceText(resource: unknown): string {
  const { uri, mimeType, text, blob } = (resource ?? {}) as Readonly<Record<string, unknown>>
  if (typeof text === 'string') return `[resource ${words(uri, mimeType)}]\n${plainText(text)}`
  return `[resource ${words(uri, mimeType)}, ${base64Size(blob)}]`
}

/** A text with a NUL byte counts as binary. */
function plainText(text: string): string {
  return text.includes('\0') ? `[binary data, ${count(Buffer.byteLength(text))}]` : text.toWellFormed()
}

function base64Size(data: unknown): string {
  if (typeof data !== 'string') return 'of unknown size'
  const digits = data.replace(/[\s=]/g, '').length
  return count(Math.floor((digits * 3) / 4))
}

function count(bytes: number): string {
  return countedText(bytes, 'byte')
}

function words(...values: readonly unknown[]): string {
  return values
    .filter((value) => value !== undefined && value !== '')
    .map(word)
    .join(' ')
}

function word(value: unknown): string {
  const line = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : 'of unknown kind'
  return line.length > 2_000 ? `${line.slice(0, 2_000)} …` : line
}
