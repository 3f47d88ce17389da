import { lstat, realpath } from 'node:fs/promises'
import { isWithin } from '../../../platform.ts'
import { dirname, join } from 'node:path'
import {
  SubjectError,
  type SubjectFile,
  type SubjectFolders,
  isSubjectId,
  isTasteName,
  nameRule,
  quotedId,
} from './subjects.ts'

/** With every link resolved. A link that leads out of the folder of subjects is no subject. Throws `not-found`. */
export async function subjectFolder({ directory }: SubjectFolders, id: string): Promise<string> {
  const folder = isSubjectId(id) ? await folderWithin(directory, id) : undefined
  if (folder !== undefined) return folder
  const message = `There is no subject ${quotedId(id)}. foreword subjects list shows those that are there.`
  throw new SubjectError('not-found', message, { subject: id })
}

export function fileOfSubject(
  { directory }: SubjectFolders,
  id: string,
  folder: string,
  name: string,
): Promise<FilePath | NoPath> {
  return filePath(directory, folder, name, `${name} of the subject ${id}`)
}

export async function fileOfTaste({ tastes }: SubjectFolders, name: string): Promise<FilePath | NoPath> {
  const folder = await realpath(tastes).catch(() => tastes)
  return filePath(tastes, folder, `${name}.md`, `${name}.md of the tastes`)
}

export function changedFile(file: SubjectFile): string {
  return file.type === 'notes' ? `subjects/${file.subject}/notes.md` : `tastes/${file.name}.md`
}

/** Throws `invalid-input`, `not-found`. */
export async function fileToChange(places: SubjectFolders, file: SubjectFile): Promise<FilePath | NoPath> {
  if (file.type === 'notes') {
    return fileOfSubject(places, file.subject, await subjectFolder(places, file.subject), 'notes.md')
  }
  if (isTasteName(file.name)) return fileOfTaste(places, file.name)
  throw new SubjectError('invalid-input', `${JSON.stringify(file.name)} is no name of a taste. It has ${nameRule}.`)
}

/** Where a file is, or would be. Folders are resolved; nothing that leads out of `root` has a place. */
export interface FilePath {
  readonly type: 'path'
  readonly path: string
  /** The folder that it lies in, without links. */
  readonly folder: string
  /** Name for messages, such as `notes.md of the subject reef`. */
  readonly shown: string
}

export interface NoPath {
  readonly type: 'none'
  readonly why: string
  readonly shown: string
}

/** With every link resolved; `undefined` where there is none, or a link leads out of the root. */
export async function folderWithin(root: string, name: string): Promise<string | undefined> {
  try {
    const realRoot = await realpath(root)
    const folder = await realpath(join(realRoot, name))
    if (!isWithin(realRoot, folder) || !(await lstat(folder)).isDirectory()) return undefined
    return folder
  } catch {
    return undefined
  }
}

/** A link to somewhere within `root` is followed, one that leads out is not. */
async function filePath(root: string, folder: string, name: string, shown: string): Promise<FilePath | NoPath> {
  const path = join(folder, name)
  try {
    // Opening the path follows no link: it is this file, or none.
    if (!(await isLink(path))) return { type: 'path', path, folder, shown }
    const real = await realpath(path)
    if (!isWithin(await realpath(root), real)) return { type: 'none', why: 'it is a link that leads out', shown }
    return { type: 'path', path: real, folder: dirname(real), shown }
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return { type: 'none', why: isGone ? 'it is a link that leads nowhere' : whyNot(error), shown }
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** The reason that a system gives, in words. */
export function whyNot(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOENT':
      return 'its folder is not there any more'
    case 'ELOOP':
      return 'its links lead in a circle'
    case 'EACCES':
    case 'EPERM':
      return 'there is no permission'
    case 'EISDIR':
      return 'it is a folder, not a file'
    case 'ENOTDIR':
      return 'a part of its path is a file, not a folder'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full'
    case 'EROFS':
      return 'the disk is read-only'
    case 'ENXIO':
    case 'ENODEV':
      return 'it is a pipe, a socket or a device, not a file'
    default:
      return code ?? message
  }
}

export function unwritable(shown: string, why: string): SubjectError {
  return new SubjectError('unwritable', `${shown} cannot be written: ${why}.`)
}
