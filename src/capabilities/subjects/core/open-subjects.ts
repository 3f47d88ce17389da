import { mkdir, readdir, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeNewFile } from '../../../platform.ts'
import { notesPage } from './notes.ts'
import { appendLine, exactText, replaceText } from './write-subject-file.ts'
import { gapLine, gapRecord, logRecord, operationLine } from './log-line.ts'
import { type JsonObject, splitLines } from './lines.ts'
import { readNotes, readSubject } from './read-subject.ts'
import { fileOfSubject, fileToChange, folderWithin, subjectFolder, unwritable, whyNot } from './subject-folders.ts'
import {
  SubjectError,
  type SubjectFacts,
  type SubjectFile,
  type SubjectFolders,
  type Subjects,
  type SubjectsOptions,
} from './subjects.ts'
import { isSubjectId, nameRule, quotedId } from './subject-name.ts'
import { readBrief } from './brief.ts'
import { readBeginning } from './read-subject-file.ts'
import { textBeginning } from './text-cap.ts'

/** Subjects and tastes as folders of files (BEHAVIOURS §4). A missing folder counts as empty. */
export function openSubjects(options: SubjectsOptions): Subjects {
  const append = async (id: string, name: string, line: JsonObject) =>
    appendLine(await fileOfSubject(options, id, await subjectFolder(options, id), name), line)
  return {
    list: () => listSubjects(options),
    any: () => anySubject(options),
    create: (id, { brief } = {}) => createSubject(options, id, brief),
    context: async (id) => readSubject(options, id, await subjectFolder(options, id)),
    async notes(id, page = {}) {
      const text = await readNotes(options, id, await subjectFolder(options, id))
      return notesPage(text, page, options.maxTextChars)
    },
    logOperation: async (id, operation) => logRecord(await append(id, 'log.jsonl', operationLine(operation))),
    logGap: async (id, gap) => gapRecord(await append(id, 'vocabulary_gaps.jsonl', gapLine(id, gap))),
    text: async (file) => exactText(await fileToChange(options, file)),
    async replace(file, change) {
      const place = await fileToChange(options, file)
      await replaceText(place, change, await lockFolder(options, file))
    },
  }
}

/** Creates the folder of the tastes if it is missing. */
async function lockFolder({ directory, tastes }: SubjectFolders, file: SubjectFile): Promise<string> {
  if (file.type === 'notes') return directory
  try {
    await mkdir(tastes, { recursive: true, mode: 0o700 })
    return await realpath(tastes)
  } catch (error) {
    throw unwritable('the folder of the tastes', whyNot(error))
  }
}

/**
 * Makes the folder of a subject, for its owner alone, and its brief. Throws `invalid-input`, `exists`, `unwritable`.
 */
async function createSubject({ directory }: SubjectFolders, id: string, brief?: string): Promise<void> {
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

/** By id. Hidden folders, such as `.git`, are left out, and so is what is no subject. */
async function listSubjects(places: SubjectFolders): Promise<readonly SubjectFacts[]> {
  const ids = (await subjectIds(places)).toSorted()
  const facts: SubjectFacts[] = []
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = await Promise.all(ids.slice(from, from + AT_ONCE).map((id) => subjectFacts(places, id)))
    facts.push(...some.filter((one) => one !== undefined))
  }
  return facts
}

async function anySubject(places: SubjectFolders): Promise<boolean> {
  for (const id of await subjectIds(places)) {
    if ((await folderWithin(places.directory, id)) !== undefined) return true
  }
  return false
}

async function subjectIds({ directory }: SubjectFolders): Promise<readonly string[]> {
  const names = await readdir(directory).catch(() => [])
  return names.filter((name) => isSubjectId(name) && !name.startsWith('.'))
}

const AT_ONCE = 16

const FILES = ['brief.md', 'notes.md', 'log.jsonl', 'vocabulary_gaps.jsonl']

async function subjectFacts(places: SubjectFolders, id: string): Promise<SubjectFacts | undefined> {
  const folder = await folderWithin(places.directory, id)
  if (folder === undefined) return undefined
  const brief = await readBeginning(await fileOfSubject(places, id, folder, 'brief.md'), BEGINNING)
  const times = (await Promise.all(FILES.map((name) => changedAt(join(folder, name))))).filter((time) => time > 0)
  const updated = times.length > 0 ? Math.max(...times) : await changedAt(folder)
  return { id, title: briefTitle(brief), updated: new Date(updated).toISOString() }
}

/** The part of a brief that is searched for its title, bytes. */
const BEGINNING = 16 * 1024

async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch {
    return 0
  }
}

function briefTitle(brief: string): string {
  const lines = splitLines(readBrief(brief).intent).map((line) => line.trim().replace(/^#+\s*/, ''))
  const title = lines.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? ''
  return title.length > 200 ? `${textBeginning(title, 199)}…` : title
}
