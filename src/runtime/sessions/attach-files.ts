import type { Message, UserMessage } from '../../context.ts'
import type { AttachedFile, FileRow } from '../../session.ts'
import { type FileLibrary, inbox, RuntimeError } from '../../capability.ts'
import { onceEach } from './once-each.ts'

/** What goes into the log for a message with files. */
export interface WithFiles {
  readonly message: UserMessage
  readonly attachments: readonly AttachedFile[]
}

const MOST = 50

/**
 * Waits until the files are read, and makes them the session's. A file that could not be read goes along as a notice: it
 * keeps no other file and no message back. The same file, and the same bytes, are sent once. Rejects with `not-found`, and with `invalid-input` for a file of another
 * conversation.
 */
export async function attachFiles(
  library: FileLibrary | undefined,
  session: string,
  text: string,
  ids: readonly string[],
): Promise<WithFiles> {
  const named = [...new Set(ids)]
  if (named.length === 0) return { message: { role: 'user', content: text }, attachments: [] }
  if (!library)
    throw new RuntimeError('invalid-input', 'This gateway takes no files: the capability `files` is not in it.')
  if (named.length > MOST) throw new RuntimeError('invalid-input', `A message takes at most ${MOST} files.`)
  const handedIn = await Promise.all(named.map((id) => library.settled(id)))
  for (const row of handedIn) refuseOthers(row, session)
  for (const { id, owner } of handedIn) {
    if (owner.id === inbox.id) await library.give(id, { type: 'session', id: session })
  }
  const rows = onceEach(handedIn, ({ hash }) => hash)
  const pictures = rows.flatMap(picturePart)
  return {
    message: { role: 'user', content: pictures.length === 0 ? text : [{ type: 'text', text }, ...pictures] },
    attachments: rows.map(attachedFile),
  }
}

function refuseOthers({ id, name, owner }: FileRow, session: string): void {
  if (owner.type === 'session' && (owner.id === session || owner.id === inbox.id)) return
  const where = owner.type === 'session' ? 'another session' : `the ${owner.type} ${owner.id}`
  throw new RuntimeError(
    'invalid-input',
    `The file ${name} (${id}) belongs to ${where}. Hand it in again for this one.`,
  )
}

function attachedFile({ id, name, state }: FileRow): AttachedFile {
  if (state.type !== 'ready') return { file: id, name, kind: 'unreadable' }
  const { reading } = state
  if (reading.kind === 'image') return { file: id, name, kind: 'image' }
  const { content } = reading
  if (reading.kind === 'table') return { file: id, name, kind: 'table', content }
  return { file: id, name, kind: 'text', content, tokens: reading.tokens }
}

type UserPart = Exclude<Message['content'], string>[number] & { readonly type: 'file' }

/** An image stands in its message by its id; its bytes are put in when the request leaves. */
function picturePart({ id, name, state }: FileRow): readonly UserPart[] {
  if (state.type !== 'ready' || state.reading.kind !== 'image') return []
  const { mediaType, width, height } = state.reading
  const size = width === undefined || height === undefined ? {} : { width, height }
  const data = { type: 'reference', reference: { foreword: id } } as const
  return [{ type: 'file', mediaType, filename: name, data, providerOptions: { foreword: size } }]
}
