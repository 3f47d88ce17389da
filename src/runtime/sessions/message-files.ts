import { type FileLibrary, inbox, RuntimeError } from '../../capability.ts'
import type { Message, UserMessage } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { AttachedFile, FileRow } from '../../session.ts'

/** What goes into the log for a message with files. */
interface WithFiles {
  readonly message: UserMessage
  readonly attachments: readonly AttachedFile[]
  readonly handedIn: readonly FileRow[]
}

const MOST = 50

/**
 * A message with its files, once they are read. A file that could not be read goes along as a notice: it keeps no other file
 * and no message back. The same file, and the same bytes, are sent once. Writes nothing. Rejects with `not-found`, and with
 * `invalid-input` for a file of another conversation.
 */
export async function messageWithFiles(
  library: FileLibrary | undefined,
  session: string,
  text: string,
  ids: readonly string[],
): Promise<WithFiles> {
  const named = [...new Set(ids)]
  if (named.length === 0) return { message: { role: 'user', content: text }, attachments: [], handedIn: [] }
  if (!library)
    throw new RuntimeError('invalid-input', 'This gateway accepts no files: it runs without the capability `files`.')
  if (named.length > MOST) throw new RuntimeError('invalid-input', `A message can have at most ${MOST} files.`)
  const handedIn = await Promise.all(named.map((id) => library.settled(id)))
  for (const row of handedIn) refuseOthers(row, session)
  const rows = mergeSameFiles(handedIn, ({ hash }) => hash)
  const pictures = rows.flatMap(picturePart)
  return {
    message: { role: 'user', content: pictures.length === 0 ? text : [{ type: 'text', text }, ...pictures] },
    attachments: rows.map(attachedFile),
    handedIn,
  }
}

/** Makes files that belong to nobody yet the session's. */
export async function giveFiles(
  library: FileLibrary | undefined,
  session: string,
  files: readonly FileRow[],
): Promise<void> {
  for (const { id, owner } of files) {
    if (owner.id === inbox.id) await library?.give(id, { type: 'session', id: session })
  }
}

function refuseOthers({ id, name, owner }: FileRow, session: string): void {
  if (owner.type === 'session' && (owner.id === session || owner.id === inbox.id)) return
  const where = owner.type === 'session' ? 'another session' : `the ${owner.type} ${owner.id}`
  throw new RuntimeError(
    'invalid-input',
    `The file ${name} (${id}) belongs to ${where}. Upload it again for this session.`,
  )
}

function attachedFile({ id, name, state }: FileRow): AttachedFile {
  if (state.type !== 'ready') return { file: id, name, kind: 'unreadable' }
  const { reading } = state
  if (reading.kind === 'image') return { file: id, name, kind: 'image', ...defined({ tokens: reading.tokens }) }
  const { content } = reading
  if (reading.kind === 'table') return { file: id, name, kind: 'table', content }
  return { file: id, name, kind: 'text', content, tokens: reading.tokens }
}

type UserPart = Exclude<Message['content'], string>[number] & { readonly type: 'file' }

/** An image is in its message by its id; its bytes are put in when the request leaves. */
function picturePart({ id, name, state }: FileRow): readonly UserPart[] {
  if (state.type !== 'ready' || state.reading.kind !== 'image') return []
  const { mediaType, width, height } = state.reading
  const size = width === undefined || height === undefined ? {} : { width, height }
  const data = { type: 'reference', reference: { foreword: id } } as const
  return [{ type: 'file', mediaType, filename: name, data, providerOptions: { foreword: size } }]
}

/** Files that are the same, by what `sameBy` gives, as one: the first, with the other names that it goes by. */
export function mergeSameFiles(rows: readonly FileRow[], sameBy: (row: FileRow) => string): readonly FileRow[] {
  return Array.from(Map.groupBy(rows, sameBy).values(), (same) => {
    const [first, ...names] = new Set(same.map(({ name }) => name))
    return names.length === 0 ? same[0]! : { ...same[0]!, name: `${first}, also ${names.join(', ')}` }
  })
}
