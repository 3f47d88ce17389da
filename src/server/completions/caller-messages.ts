import type { AnyMessage, UserMessage } from '../../context.ts'
import {
  conversationOf,
  type ConversationRules,
  isAddress,
  lastMessageOf,
  UnreadablePart,
  type WireMedia,
  type WirePart,
} from '../../wire.ts'
import { HttpFailure } from '../failure.ts'
import { type InlineFile, inlineFile } from '../inline-file.ts'

type FilePart = Extract<Exclude<UserMessage['content'], string>[number], { type: 'file' }>

/** The conversation of a request outside sessions. Throws an `HttpFailure` that names the place of what cannot be passed on. */
export function callerMessages(
  parts: Iterable<WirePart>,
  field: string,
  rules: Omit<ConversationRules, 'file'>,
): readonly AnyMessage[] {
  const messages = readable(() =>
    conversationOf(parts, { ...rules, file: (media, path) => filePart(mediaFile(media, path)) }),
  )
  if (messages.some(({ role }) => role !== 'system')) return messages
  throw new HttpFailure('invalid-input', `Invalid request: \`${field}\` has nothing to answer.`, { parameter: field })
}

/** What a session is told: the text and the files of the last message, which must be the user's. `facts`: of the refusal. */
export function lastInput(
  parts: readonly WirePart[],
  must = 'the last message must have the role user',
  facts: { readonly parameter?: string } = {},
): {
  readonly text: string
  readonly files: readonly InlineFile[]
} {
  if (parts.findLast(({ opens }) => opens)?.role !== 'user') {
    throw new HttpFailure('invalid-input', `Invalid request: in a session, ${must}.`, facts)
  }
  const { text, media } = readable(() => lastMessageOf(parts))
  const files = media.map((each) => mediaFile(each.media, each.path))
  if (text.trim() !== '' || files.length > 0) return { text, files }
  throw new HttpFailure('invalid-input', 'Invalid request: the last message is empty.', facts)
}

function readable<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnreadablePart)) throw error
    throw new HttpFailure('invalid-input', error.message, { parameter: error.path })
  }
}

/** A file of a request as a part of a message. A text file is its text. */
function filePart({ name: filename, mediaType, bytes, size }: InlineFile): FilePart {
  if (mediaType.startsWith('text/')) {
    return { type: 'file', mediaType, filename, data: { type: 'text', text: Buffer.from(bytes).toString('utf8') } }
  }
  const data = Buffer.from(bytes).toString('base64')
  return { type: 'file', mediaType, filename, data, ...(size ? { providerOptions: { foreword: { ...size } } } : {}) }
}

function mediaFile({ data, mediaType, filename, field, isImage }: WireMedia, place: string): InlineFile {
  const path = field === undefined ? place : `${place}.${field}`
  if (mediaType === 'application/octet-stream' && !isAddress(data)) {
    const why = `${path}: the type of the file is not known. Send it as a data: URL, such as data:text/plain;base64,….`
    throw new HttpFailure('invalid-input', why, { parameter: path })
  }
  const file = inlineFile(isAddress(data) ? data : `data:${mediaType};base64,${data}`, path, filename)
  return isImage ? imageFile(file, path) : file
}

/** A file that is named as an image. Throws an `HttpFailure` where it is none; `path` is its place in the body. */
function imageFile(file: InlineFile, path: string): InlineFile {
  if (file.mediaType.startsWith('image/')) return { ...file, name: file.name.replace(/^file\./, 'image.') }
  throw new HttpFailure('invalid-input', `${path}: ${file.mediaType} is not an image.`, { parameter: path })
}
