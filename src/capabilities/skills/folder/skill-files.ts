import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders in folders are looked into so deep. */
const DEPTH = 32

/** Files of version control and file managers, which are no part of the skill. */
const NOT_COUNTED = new Set(['.git', '.DS_Store'])

/** Every file of a skill, by its path in the folder, with `/`, in code-unit order. Follows no links. Rejects where one cannot be read. */
export async function skillFilePaths(folder: string): Promise<readonly string[]> {
  return (await pathsIn(folder, '', DEPTH)).toSorted((one, other) =>
    one.normalize('NFC') < other.normalize('NFC') ? -1 : 1,
  )
}

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
