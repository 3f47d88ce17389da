import { isAbsolute } from 'node:path'
import { type HeldFolder, openWithin } from '../../platform.ts'
import { unlessClosed } from './unless-closed.ts'

/** Where Git finds its repository, hooks and further settings, as a file says: from the folder that holds it, or its `.git`. */
export async function pathsNamedByGit(held: HeldFolder, name: string, isFolder: boolean): Promise<readonly string[]> {
  if (name === '.git' && isFolder) {
    const inside = await Promise.all(SETTINGS.map((each) => namedIn(held, ['.git', each], SETTING)))
    return inside.flat()
  }
  if (isFolder) return []
  if (name === '.git') return namedIn(held, [name], /^(gitdir): (.*)$/gm)
  if (name === 'commondir') return namedIn(held, [name], /^()(.+)$/gm)
  return SETTINGS.includes(name) ? namedIn(held, [name], SETTING) : []
}

const SETTINGS = ['config', 'config.worktree']

const SETTING = /^[ \t]*(hookspath|path)[ \t]*=[ \t]*"?(.*?)"?[ \t]*$/gim

/** Paths that stand behind a key in a file. */
async function namedIn(held: HeldFolder, way: readonly string[], pattern: RegExp): Promise<readonly string[]> {
  const text = await unlessClosed(async () => {
    await using file = await openWithin(held.at('.'), way)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MOST_GIT_BYTES) })
    return buffer.toString('utf8', 0, bytesRead)
  })
  // A path of further settings begins at the file that names it.
  return [...(text ?? '').matchAll(pattern)].map(([, key = '', path = '']) =>
    /^path$/i.test(key) && !isAbsolute(path) ? [...way.slice(0, -1), path].join('/') : path,
  )
}

const MOST_GIT_BYTES = 65_536
