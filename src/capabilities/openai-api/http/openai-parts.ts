import type { UserMessage } from '../../../context.ts'
import { HttpFailure, type InlineFile, inlineFile } from '../../../server.ts'
import type { OpenaiContent, OpenaiPart } from './openai-schema.ts'

type Part = Exclude<UserMessage['content'], string>[number]

/** The parts of a user's message as the core takes them. A text alone stays the text it is. */
export function userContent(content: OpenaiContent, where: string): UserMessage['content'] {
  if (typeof content === 'string') return content
  return content.map((part, at) => userPart(part, `${where}.content.${at}`))
}

/** The text and the files of a user's message, for a session that keeps its files. */
export function textAndFiles(
  content: OpenaiContent,
  where: string,
): { readonly text: string; readonly files: readonly InlineFile[] } {
  if (typeof content === 'string') return { text: content, files: [] }
  const texts: string[] = []
  const files: InlineFile[] = []
  for (const [at, part] of content.entries()) {
    const file = fileOf(part, `${where}.content.${at}`)
    if (file) files.push(file)
    else texts.push(textOf(part, `${where}.content.${at}`))
  }
  return { text: texts.join('\n'), files }
}

/** The text of a message that can hold nothing else. */
export function textContent(content: OpenaiContent, where: string): string {
  if (typeof content === 'string') return content
  return content.map((part, at) => textOf(part, `${where}.content.${at}`)).join('\n')
}

function userPart(part: OpenaiPart, where: string): Part {
  const file = fileOf(part, where)
  if (!file) return { type: 'text', text: textOf(part, where) }
  const { name: filename, mediaType, bytes, size } = file
  if (mediaType.startsWith('text/')) {
    return { type: 'file', mediaType, filename, data: { type: 'text', text: Buffer.from(bytes).toString('utf8') } }
  }
  const data = Buffer.from(bytes).toString('base64')
  return { type: 'file', mediaType, filename, data, ...(size ? { providerOptions: { foreword: { ...size } } } : {}) }
}

function fileOf(part: OpenaiPart, where: string): InlineFile | undefined {
  if (part.type === 'image_url') {
    const url = typeof part.image_url === 'string' ? part.image_url : (part.image_url?.url ?? '')
    const file = inlineFile(url, `${where}.image_url.url`)
    if (file.mediaType.startsWith('image/')) return { ...file, name: file.name.replace(/^file\./, 'image.') }
    throw new HttpFailure(400, 'invalid-input', `${where}.image_url.url: ${file.mediaType} is no image.`)
  }
  if (part.type !== 'file') return undefined
  const { file_data: url, filename } = part.file ?? {}
  if (url === undefined) throw notTaken(where, 'a file is taken as `file_data` with a data: URL; there are no file ids')
  return inlineFile(url, `${where}.file.file_data`, filename ?? undefined)
}

function textOf({ type, text, refusal }: OpenaiPart, where: string): string {
  const said = type === 'refusal' ? refusal : text
  if ((type === 'text' || type === 'refusal') && said !== undefined) return said
  throw notTaken(where, `a part of type ${type} is not taken here`)
}

function notTaken(where: string, why: string): HttpFailure {
  return new HttpFailure(400, 'invalid-input', `${where}: ${why}.`, { parameter: where })
}
