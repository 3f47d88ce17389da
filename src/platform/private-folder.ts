import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes a folder with those above it, for the owner alone (0700), and brings their names to the disk. */
export async function makePrivateFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made === undefined) return
  for (let folder = path; folder.length >= made.length; folder = dirname(folder)) await syncFolder(dirname(folder))
}

/**
 * Brings the names in a folder to the disk, where the system can do that for folders: Windows and some network file systems
 * cannot, and what was written is as safe as it can be there. Throws where the disk fails.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  try {
    const folder = await open(path, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    if (!CANNOT.has((error as NodeJS.ErrnoException).code)) throw error
  }
}

const CANNOT: ReadonlySet<string | undefined> = new Set([
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EISDIR',
  'EACCES',
  'EPERM',
])
