import type { AssistantMessage, ToolOutput, UserMessage } from '../../../context.ts'
import { fieldsOf } from '../../../platform.ts'
import { filePart, HttpFailure, imageFile, type InlineFile, inlineFile } from '../../../server.ts'

type UserPart = Exclude<UserMessage['content'], string>[number]
type TextPart = Extract<Exclude<AssistantMessage['content'], string>[number], { type: 'text' }>

/** `left` collects what has no place, as `x-foreword-ignored` names it. */
export interface ContentReader {
  /** Where the content is, such as `input.3.content`. */
  readonly where: string
  readonly left: Set<string>
}

export function userItemContent(content: unknown, reader: ContentReader): UserMessage['content'] {
  if (typeof content === 'string') return content
  return partsOf(content, reader).map(({ part, where }): UserPart => {
    const file = fileOf(part, { ...reader, where })
    return file ? filePart(file) : { type: 'text', text: textOf(part, { ...reader, where }) }
  })
}

export function itemTexts(content: unknown, reader: ContentReader): readonly TextPart[] {
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

export function itemOutput(output: unknown, reader: ContentReader): ToolOutput {
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
  const text = type === 'refusal' ? part['refusal'] : part['text']
  if (TEXT_TYPES.has(String(type)) && typeof text === 'string') {
    leaveOut(part, left, ['type', 'text', 'refusal'])
    return text
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
