import { readdir } from 'node:fs/promises'
import { holdRealFolder } from '../../platform.ts'
import { obeyedBeside, type ObeyedNames, obeyedPath } from '../access/owners-names.ts'
import { unlessClosed } from './unless-closed.ts'

/**
 * What obeys an entry of a workspace by the names of its way, without links, and by those beside each of them: in a folder that Git
 * takes for a repository, or would with this entry.
 */
export async function obeyedWithin(root: string, names: readonly string[]): Promise<ObeyedNames | undefined> {
  const named = obeyedPath(names)
  if (named?.level === 'never') return named
  let held = await unlessClosed(() => holdRealFolder(root))
  try {
    for (const name of names) {
      const folder = held
      if (!folder) break
      const obeying = obeyedBeside(name, (await unlessClosed(() => readdir(folder.at('.')))) ?? [])
      if (obeying) return obeying
      held = await unlessClosed(() => folder.enter(name))
      await folder.close()
    }
  } finally {
    await held?.close()
  }
  return named
}
