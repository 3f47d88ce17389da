import { realpath } from 'node:fs/promises'
import { SubjectError } from './subject-error.ts'
import { type FilePath, filePath, folderWithin, type NoPath } from './file-path.ts'
import { isSubjectId, isTasteName, nameRule, quotedId } from './subject-name.ts'
import type { SubjectFile } from './subjects.ts'

/** Where subjects and tastes are; absolute. Neither has to be there. */
export interface SubjectFolders {
  /** A folder for each subject. */
  readonly directory: string
  /** A file for each taste. */
  readonly tastes: string
}

/**
 * The folder of a subject, with every link resolved. A link that leads out of the folder of subjects is no subject.
 *
 * @throws SubjectError `not-found`
 */
export async function subjectFolder({ directory }: SubjectFolders, id: string): Promise<string> {
  const folder = isSubjectId(id) ? await folderWithin(directory, id) : undefined
  if (folder !== undefined) return folder
  const message = `There is no subject ${quotedId(id)}. foreword subjects list shows those that are there.`
  throw new SubjectError('not-found', message, { subject: id })
}

/** A file in the resolved folder of a subject. */
export function fileOfSubject(
  { directory }: SubjectFolders,
  id: string,
  folder: string,
  name: string,
): Promise<FilePath | NoPath> {
  return filePath(directory, folder, name, `${name} of the subject ${id}`)
}

/** The file of a taste; `name` is one. */
export async function fileOfTaste({ tastes }: SubjectFolders, name: string): Promise<FilePath | NoPath> {
  const folder = await realpath(tastes).catch(() => tastes)
  return filePath(tastes, folder, `${name}.md`, `${name}.md of the tastes`)
}

/** The name of a file that a proposal changes, whatever folders it is in: the same in a diff and in a reply. */
export function changedFile(file: SubjectFile): string {
  return file.type === 'notes' ? `subjects/${file.subject}/notes.md` : `tastes/${file.name}.md`
}

/**
 * The file that a proposal changes.
 *
 * @throws SubjectError `invalid-input`, `not-found`
 */
export async function fileToChange(places: SubjectFolders, file: SubjectFile): Promise<FilePath | NoPath> {
  if (file.type === 'notes') {
    return fileOfSubject(places, file.subject, await subjectFolder(places, file.subject), 'notes.md')
  }
  if (isTasteName(file.name)) return fileOfTaste(places, file.name)
  throw new SubjectError('invalid-input', `${JSON.stringify(file.name)} is no name of a taste. It has ${nameRule}.`)
}
