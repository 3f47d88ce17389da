import { open, realpath, rename, rm } from 'node:fs/promises'

/**
 * Writes a text that is for the owner alone (0600): whole or not at all, and on disk when it resolves. `suffix` names
 * the file beside it that is written first. A link keeps pointing where it pointed.
 */
export async function writePrivately(path: string, text: string, suffix: string): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const beside = `${target}.${suffix}`
  try {
    const file = await open(beside, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, target)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}
