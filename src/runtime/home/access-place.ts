import { stat } from 'node:fs/promises'
import { accessPlaces } from '../../tool.ts'

/** The file that says what may run, and that commands change; the one in the home itself where there is none yet. */
export async function accessPlace(root: string): Promise<string> {
  const [own, inContext] = accessPlaces(root)
  return !(await isThere(own)) && (await isThere(inContext)) ? inContext : own
}

/** What cannot be looked at counts as there: reading it then says why it cannot be read. */
async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code !== 'ENOENT' && code !== 'ENOTDIR'
  }
}
