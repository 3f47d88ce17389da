import { defined } from '../../platform.ts'
import { type AnyMessage, ContextOverflowError, type Request, storedImage, type UserMessage } from '../../context.ts'
import type { ModelRequest } from '../../model.ts'
import { type Attempt, attemptCall, type CallQuestion } from './attempt-call.ts'
import type { FileLibrary } from '../../capability.ts'
import type { AssemblyContext } from './assembly-context.ts'

/** An attempt, and what leaves for the provider: the request with the bytes of its images. */
export interface PicturedAttempt extends Attempt {
  /** Absent where the attempt overflowed. */
  readonly request?: Request
  /** Ids of the images that are no longer there. */
  readonly gone: readonly string[]
}

/**
 * Attempts a call and reads the images that it sends. One that is no longer there is assembled as a marker, so that what is
 * counted and recorded is what leaves.
 */
export async function attemptWithPictures(
  context: AssemblyContext,
  library: FileLibrary | undefined,
  question: CallQuestion,
): Promise<PicturedAttempt> {
  let gone = question.gone ?? []
  for (;;) {
    const attempt = await attemptCall(context, { ...question, gone })
    if (attempt.outcome instanceof ContextOverflowError) return { ...attempt, gone }
    const { request, missing } = await withPictures(attempt.outcome.request, library)
    if (missing.length === 0) return { ...attempt, request, gone }
    gone = [...gone, ...missing]
  }
}

/** A request with the bytes of its images in the place of their ids, and the ids of those that are no longer there. */
export async function withPictures<Asked extends ModelRequest>(
  request: Asked,
  library: FileLibrary | undefined,
): Promise<{ readonly request: Asked; readonly missing: readonly string[] }> {
  const ids = new Set(request.messages.flatMap(storedImages))
  if (ids.size === 0) return { request, missing: [] }
  const read = await Promise.all([...ids].map(async (id) => [id, await bytesOf(library, id)] as const))
  const bytes = new Map(read)
  return {
    request: { ...request, messages: request.messages.map((message) => filled(message, bytes)) },
    missing: read.flatMap(([id, data]) => (data ? [] : [id])),
  }
}

async function bytesOf(library: FileLibrary | undefined, id: string): Promise<Uint8Array | undefined> {
  try {
    return library && (await library.bytes(await library.file(id)))
  } catch {
    return undefined
  }
}

type UserPart = Exclude<UserMessage['content'], string>[number]
type Bytes = ReadonlyMap<string, Uint8Array | undefined>

function storedImages({ role, content }: AnyMessage): readonly string[] {
  if (role !== 'user' || typeof content === 'string') return []
  return content.flatMap((part) => storedImage(part) ?? [])
}

function filled<Given extends AnyMessage>(message: Given, bytes: Bytes): Given {
  if (storedImages(message).length === 0 || message.role !== 'user' || typeof message.content === 'string') {
    return message
  }
  return { ...message, content: message.content.map((part) => filledPart(part, bytes)) }
}

function filledPart(part: UserPart, bytes: Bytes): UserPart {
  const id = storedImage(part)
  const data = id === undefined ? undefined : bytes.get(id)
  if (!data || part.type !== 'file') return part
  const { type, mediaType, filename } = part
  return { type, mediaType, data, ...defined({ filename }) }
}
