import type { UserMessage } from '../../context.ts'
import { HttpFailure } from '../failure.ts'
import type { InlineFile } from '../inline-file.ts'

type FilePart = Extract<Exclude<UserMessage['content'], string>[number], { type: 'file' }>

/** A file of a request as a part of a message. A text file is its text. */
export function filePart({ name: filename, mediaType, bytes, size }: InlineFile): FilePart {
  if (mediaType.startsWith('text/')) {
    return { type: 'file', mediaType, filename, data: { type: 'text', text: Buffer.from(bytes).toString('utf8') } }
  }
  const data = Buffer.from(bytes).toString('base64')
  return { type: 'file', mediaType, filename, data, ...(size ? { providerOptions: { foreword: { ...size } } } : {}) }
}

/** A file that is named as an image. Throws an `HttpFailure` where it is none; `where` is its place in the body. */
export function imageFile(file: InlineFile, where: string): InlineFile {
  if (file.mediaType.startsWith('image/')) return { ...file, name: file.name.replace(/^file\./, 'image.') }
  throw new HttpFailure('invalid-input', `${where}: ${file.mediaType} is not an image.`, { parameter: where })
}
