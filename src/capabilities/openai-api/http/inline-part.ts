import type { UserMessage } from '../../../context.ts'
import { HttpFailure, type InlineFile, inlineFile } from '../../../server.ts'

type FilePart = Extract<Exclude<UserMessage['content'], string>[number], { type: 'file' }>

/** A file of a request as a part of a message. A text file is its text. */
export function inlineFilePart({ name: filename, mediaType, bytes, size }: InlineFile): FilePart {
  if (mediaType.startsWith('text/')) {
    return { type: 'file', mediaType, filename, data: { type: 'text', text: Buffer.from(bytes).toString('utf8') } }
  }
  const data = Buffer.from(bytes).toString('base64')
  return { type: 'file', mediaType, filename, data, ...(size ? { providerOptions: { foreword: { ...size } } } : {}) }
}

/** An image of a request. Throws an `HttpFailure` for anything but a `data:` URL of one. */
export function inlineImage(url: string, where: string): InlineFile {
  const file = inlineFile(url, where)
  if (file.mediaType.startsWith('image/')) return { ...file, name: file.name.replace(/^file\./, 'image.') }
  throw new HttpFailure('invalid-input', `${where}: ${file.mediaType} is not an image.`)
}
