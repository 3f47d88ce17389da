import type { Message, Request, UserMessage } from '../context.ts'
import type { Library } from './library.ts'

/** A request with the bytes of its images in the place of their ids. One that is no longer there is said to be gone. */
export async function withPictures(request: Request, library: Library): Promise<Request> {
  if (!request.messages.some(hasPicture)) return request
  return { ...request, messages: await Promise.all(request.messages.map((message) => filled(message, library))) }
}

type UserPart = Exclude<UserMessage['content'], string>[number]

async function filled(message: Message, library: Library): Promise<Message> {
  if (message.role !== 'user' || typeof message.content === 'string') return message
  return { ...message, content: await Promise.all(message.content.map((part) => filledPart(part, library))) }
}

async function filledPart(part: UserPart, library: Library): Promise<UserPart> {
  const id = pictureOf(part)
  if (id === undefined || part.type !== 'file') return part
  try {
    const data = await library.bytes(await library.file(id))
    const { type, mediaType, filename } = part
    return { type, mediaType, data, ...(filename === undefined ? {} : { filename }) }
  } catch {
    return { type: 'text', text: `[image ${part.filename ?? id}: it is no longer there]` }
  }
}

function hasPicture({ content }: Message): boolean {
  return typeof content !== 'string' && content.some((part) => pictureOf(part) !== undefined)
}

function pictureOf(part: { readonly type: string; readonly data?: unknown }): string | undefined {
  if (part.type !== 'file') return undefined
  const { reference } = (part.data ?? {}) as { readonly reference?: { readonly foreword?: unknown } }
  return typeof reference?.foreword === 'string' ? reference.foreword : undefined
}
