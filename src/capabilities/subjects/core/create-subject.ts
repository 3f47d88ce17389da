import { mkdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeNewFile } from '../../../platform.ts'
import { SubjectError } from './subject-error.ts'
import { unwritable, whyNot } from './file-path.ts'
import { isSubjectId, nameRule, quotedId } from './subject-name.ts'
import type { SubjectFolders } from './subject-folders.ts'

/**
 * Makes the folder of a subject, for its owner alone, and its brief where there is one.
 *
 * @throws SubjectError `invalid-input`, `exists`, `unwritable`
 */
export async function createSubject({ directory }: SubjectFolders, id: string, brief?: string): Promise<void> {
  if (!isSubjectId(id)) {
    throw new SubjectError('invalid-input', `${quotedId(id)} is no id of a subject. It has ${nameRule}.`)
  }
  // Hidden folders are left out of the list, and `.lock` is the name of a file there.
  if (id.startsWith('.')) {
    throw new SubjectError('invalid-input', `A new subject cannot begin with ".", as ${id} does: it would be hidden.`)
  }
  if (brief !== undefined && Buffer.byteLength(brief) > LARGEST_BRIEF) {
    throw new SubjectError('invalid-input', `A brief may hold ${LARGEST_BRIEF} bytes. Put the rest into the notes.`)
  }
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await makeFolder(await realpath(directory), id, brief)
  } catch (error) {
    throw error instanceof SubjectError ? error : unwritable(`the subject ${id}`, whyNot(error))
  }
}

/** Bytes. */
const LARGEST_BRIEF = 1024 * 1024

async function makeFolder(root: string, id: string, brief: string | undefined): Promise<void> {
  const folder = join(root, id)
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new SubjectError('exists', `There is a subject ${id} already. Choose another id.`, { subject: id })
  }
  try {
    if (brief !== undefined) await writeNewFile(join(folder, 'brief.md'), brief)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  await syncFolder(folder)
  await syncFolder(root)
}
