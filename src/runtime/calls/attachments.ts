import type { FileLibrary } from '../../capability.ts'
import {
  type AssemblyInput,
  type Attachment,
  audioSeconds,
  audioTokens,
  audioType,
  changedParts,
  imageSize,
  imageTokens,
  imageType,
  storedImage,
  storedImages,
} from '../../context.ts'
import type { ModelRequest } from '../../model.ts'
import { defined } from '../../platform.ts'
import {
  type AttachedFile,
  type EntryBody,
  type FileStore,
  readReferredContent,
  type ResultImage,
  type SessionStore,
} from '../../session.ts'

export interface TurnFile extends AttachedFile {
  readonly turn: string
}

export function inputFiles(messages: readonly EntryBody[]): readonly TurnFile[] {
  return messages.flatMap((body) => {
    if (body.type !== 'input') return []
    return (body.attachments ?? []).map((file) => ({ ...file, turn: body.turn }))
  })
}

/** Files as input of an assembly. Images and recordings are in their message; a file without text is a notice (BEHAVIOURS §3.4). */
export async function loadAttachments(
  store: Pick<SessionStore, 'content' | 'file'>,
  files: readonly TurnFile[],
): Promise<readonly Attachment[]> {
  const attached = files.filter(({ kind }) => kind !== 'image' && kind !== 'audio')
  const seen = new Set<string>()
  // A file that came with several messages appears above each of them, and the account distinguishes them.
  const named = attached.map((one) => {
    const isAgain = seen.size === seen.add(one.file).size
    return {
      ...one,
      ...(isAgain ? { id: `${one.file}@${one.turn}`, file: one.file } : { id: one.file, file: undefined }),
    }
  })
  return Promise.all(
    named.map(async ({ turn, id, file, name, content }) => {
      const text = content === undefined ? undefined : await readReferredContent(store, content)
      // The reference to a text is its digest.
      return { turn, id, name, ...defined({ file, text, digest: content?.replace('sha256:', '') }) }
    }),
  )
}

/** A file of a turn that was not loaded: it is announced, and not sent. */
export type EarlierFile = Pick<Attachment, 'id' | 'name' | 'tokens'>

/** Readable files of a session in no turn that was loaded (BEHAVIOURS §3.4); none where all was. Does not read its log. */
export async function findEarlierFiles(
  store: Pick<FileStore, 'files'>,
  session: string,
  { earlier, files, since }: LoadedFiles,
  current: readonly TurnFile[],
): Promise<readonly Attachment[]> {
  if (!earlier) return []
  const seen = new Set([...files, ...current].map(({ file }) => file))
  const rows = await store.files({ owner: { type: 'session', id: session }, state: 'ready' })
  const dropped = rows.flatMap(({ id, name, time, state }): readonly EarlierFile[] => {
    if (seen.has(id) || state.type !== 'ready' || (since !== undefined && time > since)) return []
    const { reading } = state
    if (!('content' in reading)) return []
    return [{ id, name, ...(reading.kind === 'text' ? { tokens: reading.tokens } : {}) }]
  })
  return earlierAttachments(dropped)
}

/** What was loaded of a session, as far as its files depend on it. */
interface LoadedFiles {
  /** Absent where the whole session was loaded. */
  readonly earlier: object | undefined
  readonly files: readonly TurnFile[]
  /** When the input of the oldest loaded turn came, ISO 8601. */
  readonly since: string | undefined
}

/** As input of an assembly: files of a turn that it is not given. */
export function earlierAttachments(files: readonly EarlierFile[]): readonly Attachment[] {
  return files.map((file) => ({ turn: EARLIER, ...file }))
}

export function announcedFiles({ attachments = [] }: Pick<AssemblyInput, 'attachments'>): readonly EarlierFile[] {
  return attachments.flatMap(({ turn, id, name, tokens }) =>
    turn === EARLIER ? [{ id, name, ...defined({ tokens }) }] : [],
  )
}

/** No turn has this id. */
const EARLIER = 'earlier'

/** A request with the bytes of its images in the place of their ids, and the ids of those that are no longer there. */
export async function withPictures<Asked extends ModelRequest>(
  request: Asked,
  library: FileLibrary | undefined,
): Promise<{ readonly request: Asked; readonly missing: readonly string[] }> {
  const ids = new Set(request.messages.flatMap(storedImages))
  if (ids.size === 0) return { request, missing: [] }
  const read = await Promise.all([...ids].map(async (id) => [id, await imageBytes(library, id)] as const))
  const bytes = new Map(read)
  return {
    request: {
      ...request,
      messages: request.messages.map((message) =>
        changedParts(message, (part) => {
          const data = bytes.get(storedImage(part) ?? '')
          if (!data || part.type !== 'file') return part
          const { type, mediaType, filename } = part
          return { type, mediaType, data, ...defined({ filename }) }
        }),
      ),
    },
    missing: read.flatMap(([id, data]) => (data ? [] : [id])),
  }
}

/** Keeps an image or a recording of a tool result as a file of the session. */
export async function keepImage(
  library: FileLibrary,
  session: string,
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
): Promise<ResultImage> {
  const image = mediaReading(bytes)
  const { id } = await library.add({
    name,
    bytes: ReadableStream.from([bytes]),
    owner: { type: 'session', id: session },
    state: { type: 'ready', reading: image },
  })
  return { file: id, name, ...image }
}

function mediaReading(bytes: Uint8Array) {
  const sound = audioType(bytes)
  const seconds = audioSeconds(bytes)
  if (sound) {
    const tokens = audioTokens(seconds, bytes.length)
    return { kind: 'audio', mediaType: sound, ...defined({ seconds }), tokens } as const
  }
  const mediaType = imageType(bytes) ?? 'application/octet-stream'
  const { width, height } = imageSize(bytes, mediaType) ?? {}
  return {
    kind: 'image',
    mediaType,
    ...defined({ width, height }),
    tokens: imageTokens(width ?? 0, height ?? 0),
  } as const
}

async function imageBytes(library: FileLibrary | undefined, id: string): Promise<Uint8Array | undefined> {
  try {
    return library && (await library.bytes(await library.file(id)))
  } catch {
    return undefined
  }
}
