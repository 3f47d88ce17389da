import { defined } from '../../platform.ts'
import type { Attachment } from '../../context.ts'
import { type AttachedFile, referredContent, type SessionStore, type SpokenBody } from '../../session.ts'

/** A file that came with the input of a turn. */
export interface TurnFile extends AttachedFile {
  readonly turn: string
}

/** Files that came with the inputs among what was said. */
export function turnFiles(said: readonly SpokenBody[]): readonly TurnFile[] {
  return said.flatMap((body) => {
    if (body.type !== 'input') return []
    return (body.attachments ?? []).map((file) => ({ ...file, turn: body.turn }))
  })
}

/** Files as an assembly takes them. Images stand in their message; a file without text is a notice (BEHAVIOURS §3.4). */
export async function attachmentsOf(
  store: Pick<SessionStore, 'content' | 'file'>,
  files: readonly TurnFile[],
): Promise<readonly Attachment[]> {
  const attached = files.filter(({ kind }) => kind !== 'image')
  const seen = new Set<string>()
  // A file that came with several messages stands above each of them, and the account tells them apart.
  const named = attached.map((one) => {
    const isAgain = seen.size === seen.add(one.file).size
    return {
      ...one,
      ...(isAgain ? { id: `${one.file}@${one.turn}`, file: one.file } : { id: one.file, file: undefined }),
    }
  })
  return Promise.all(
    named.map(async ({ turn, id, file, name, content }) => {
      const text = content === undefined ? undefined : await referredContent(store, content)
      return { turn, id, name, ...defined({ file, text }) }
    }),
  )
}
