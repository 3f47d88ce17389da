import { defined } from '../../platform.ts'
import type { AssemblyInput, Attachment } from '../../context.ts'
import type { FileStore } from '../../session.ts'
import type { TurnFile } from './attachments.ts'
import type { LoadedHistory } from './history-loader.ts'

/** A file of a turn that was not loaded: it is announced, and not sent. */
export type EarlierFile = Pick<Attachment, 'id' | 'name' | 'tokens'>

/**
 * Files of a session that can still be read and stand in no turn that was loaded (BEHAVIOURS §3.4: a dropped file is
 * announced). None where the whole session was loaded. Asks for the files of the session, not for its log.
 */
export async function earlierFiles(
  store: Pick<FileStore, 'files'>,
  session: string,
  { earlier, files, since }: LoadedHistory,
  current: readonly TurnFile[],
): Promise<readonly EarlierFile[]> {
  if (!earlier) return []
  const seen = new Set([...files, ...current].map(({ file }) => file))
  const rows = await store.files({ owner: { type: 'session', id: session }, state: 'ready' })
  return rows.flatMap(({ id, name, time, state }): readonly EarlierFile[] => {
    if (seen.has(id) || state.type !== 'ready' || (since !== undefined && time > since)) return []
    const { reading } = state
    if (reading.kind === 'image') return []
    return [{ id, name, ...(reading.kind === 'text' ? { tokens: reading.tokens } : {}) }]
  })
}

/** As an assembly takes them: of a turn that it is not given. */
export function earlierAttachments(files: readonly EarlierFile[]): readonly Attachment[] {
  return files.map((file) => ({ turn: EARLIER, ...file }))
}

/** Those that an assembly was given. */
export function earlierFilesOf({ attachments = [] }: Pick<AssemblyInput, 'attachments'>): readonly EarlierFile[] {
  return attachments.flatMap(({ turn, id, name, tokens }) =>
    turn === EARLIER ? [{ id, name, ...defined({ tokens }) }] : [],
  )
}

/** No turn has this id. */
const EARLIER = 'earlier'
