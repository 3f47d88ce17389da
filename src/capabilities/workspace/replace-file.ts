import { writeFileAtomically } from '../../platform.ts'
import type { Inside } from '../../capability.ts'
import { holdFolder } from './held-folder.ts'
import { readTextFile } from './text-file.ts'

/** What a change starts from: the digest of the file, or that there is none. */
export type Before = { readonly digest: string; readonly mode: number } | 'new'

/** What became of a replacement. */
export type Replaced = { readonly type: 'replaced' } | { readonly type: 'refused'; readonly why: string }

/**
 * Puts a text in the place of a file, whole or not at all: it is written beside it, brought to disk, and renamed. Refuses
 * where the file is not `before` any more. Permission bits stay. Folders that are missing are made, and no link is
 * followed. Throws what the system says.
 */
export async function replaceFile(place: Inside, text: string, before: Before): Promise<Replaced> {
  const name = place.names.at(-1)
  if (name === undefined) return changed
  const folder = await holdFolder(place.root, place.names.slice(0, -1), { create: before === 'new' })
  try {
    if (!(await isStill(place, before))) return changed
    await writeFileAtomically(folder.at(name), text, { mode: before === 'new' ? 'umask' : before.mode })
    return { type: 'replaced' }
  } finally {
    await folder.close()
  }
}

const changed: Replaced = {
  type: 'refused',
  why: 'the file has changed since the change was shown: read it again, then change it',
}

async function isStill(place: Inside, before: Before): Promise<boolean> {
  const now = await readTextFile(place)
  return before === 'new' ? now.type === 'missing' : now.type === 'text' && now.digest === before.digest
}
