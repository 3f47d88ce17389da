import { open } from 'node:fs/promises'

/** What a folder holds has reached the disk, where the file system can do that for folders. */
export async function settleFolder(path: string): Promise<void> {
  try {
    const folder = await open(path)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch {
    // What was written is as safe as it can be there.
  }
}
