import { HttpFailure, imageFile, type InlineFile, inlineFile } from '../../../server.ts'
import type { AnthropicBlock } from './anthropic-schema.ts'

/** The file of an image or a document; `undefined` for any other block. Throws an `HttpFailure` for one that cannot be passed on. */
export function fileOf(block: AnthropicBlock, where: string): InlineFile | undefined {
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

export function unsupportedBlock(where: string, why: string): HttpFailure {
  return new HttpFailure('invalid-input', `${where}: ${why}.`, { parameter: where })
}

function textFile(title: string | null | undefined, text: string): InlineFile {
  return { name: title || 'file.txt', mediaType: 'text/plain', bytes: Buffer.from(text, 'utf8') }
}

function contentText(content: string | readonly { readonly text?: string | undefined }[] | undefined): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n')
}
