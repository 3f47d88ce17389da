import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A folder with those above it, for the owner alone (0700), and its name on the disk. */
export async function makePrivateFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made === undefined) return
  for (let folder = path; folder.length >= made.length; folder = dirname(folder)) await syncFolder(dirname(folder))
}

/** So that a name is on the disk as well as what it names. Windows has no way to ask for that. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
