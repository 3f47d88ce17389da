import { createHash } from 'node:crypto'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** How many files of one skill count, and how many bytes of them. What lies beyond counts by its path and size alone. */
const DIGEST_BOUNDS = { files: 5_000, bytes: 64 * 1024 * 1024, depth: 32 } as const

/** What version control and file managers put into a folder is not the skill's. */
const NOT_COUNTED = new Set(['.git', '.DS_Store'])

/**
 * SHA-256 of a skill's folder: relative path, size and bytes of each file, in code-unit order of the paths. A link to a
 * file counts as that file, a link to a folder by the text of the link, a pipe or a device by its path. Answers
 * `undefined` where something cannot be read.
 */
export async function skillDigest(folder: string): Promise<string | undefined> {
  try {
    const paths = (await pathsIn(folder, '', DIGEST_BOUNDS.depth)).toSorted((one, other) =>
      one.normalize('NFC') < other.normalize('NFC') ? -1 : 1,
    )
    const digest = createHash('sha256')
    let left: number = DIGEST_BOUNDS.bytes
    for (const path of paths.slice(0, DIGEST_BOUNDS.files)) {
      const file = join(folder, path)
      const found = await stat(file).catch(() => undefined)
      if (found?.isFile()) {
        digest.update(`file ${JSON.stringify(path.normalize('NFC'))} ${found.size}\n`)
        if (found.size <= left) digest.update(await readFile(file))
        left -= Math.min(left, found.size)
      } else {
        const link = await readlink(file).catch(() => '')
        digest.update(`other ${JSON.stringify(path.normalize('NFC'))} ${JSON.stringify(link)}\n`)
      }
    }
    if (paths.length > DIGEST_BOUNDS.files) digest.update(`more ${paths.length - DIGEST_BOUNDS.files}\n`)
    return digest.digest('hex')
  } catch {
    return undefined
  }
}

/** Every file below a folder by its path there, with `/`; links are not walked into. */
async function pathsIn(folder: string, within: string, depth: number): Promise<readonly string[]> {
  if (depth === 0) return []
  const entries = await readdir(join(folder, within), { withFileTypes: true })
  const paths: string[] = []
  for (const entry of entries) {
    if (NOT_COUNTED.has(entry.name)) continue
    const path = within === '' ? entry.name : `${within}/${entry.name}`
    if (entry.isDirectory()) paths.push(...(await pathsIn(folder, path, depth - 1)))
    else paths.push(path)
  }
  return paths
}
