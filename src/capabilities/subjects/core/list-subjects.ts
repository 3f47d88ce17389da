import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readBrief } from './brief.ts'
import { linesOf } from './lines.ts'
import { readBeginning } from './read-subject-file.ts'
import { folderWithin } from './file-path.ts'
import { isSubjectId } from './subject-name.ts'
import { fileOfSubject, type SubjectFolders } from './subject-folders.ts'
import type { SubjectFacts } from './subjects.ts'
import { beginningOf } from './text-cap.ts'

/** All subjects, by the order of their ids. Hidden folders, such as `.git`, are left out, and so is what is no subject. */
export async function listSubjects(places: SubjectFolders): Promise<readonly SubjectFacts[]> {
  const ids = (await idsIn(places)).toSorted()
  const facts: SubjectFacts[] = []
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = await Promise.all(ids.slice(from, from + AT_ONCE).map((id) => factsOf(places, id)))
    facts.push(...some.filter((one) => one !== undefined))
  }
  return facts
}

/** Whether there is one. */
export async function anySubject(places: SubjectFolders): Promise<boolean> {
  for (const id of await idsIn(places)) {
    if ((await folderWithin(places.directory, id)) !== undefined) return true
  }
  return false
}

async function idsIn({ directory }: SubjectFolders): Promise<readonly string[]> {
  const names = await readdir(directory).catch(() => [])
  return names.filter((name) => isSubjectId(name) && !name.startsWith('.'))
}

/** Subjects that are looked at side by side. */
const AT_ONCE = 16

/** The files of a subject. */
const FILES = ['brief.md', 'notes.md', 'log.jsonl', 'vocabulary_gaps.jsonl']

async function factsOf(places: SubjectFolders, id: string): Promise<SubjectFacts | undefined> {
  const folder = await folderWithin(places.directory, id)
  if (folder === undefined) return undefined
  const brief = await readBeginning(await fileOfSubject(places, id, folder, 'brief.md'), BEGINNING)
  const times = (await Promise.all(FILES.map((name) => changedAt(join(folder, name))))).filter((time) => time > 0)
  const updated = times.length > 0 ? Math.max(...times) : await changedAt(folder)
  return { id, title: titleOf(brief), updated: new Date(updated).toISOString() }
}

/** As much of a brief as its title is looked for in, bytes. */
const BEGINNING = 16 * 1024

async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch {
    return 0
  }
}

/** The first line that says something, without the signs of a heading. */
function titleOf(brief: string): string {
  const lines = linesOf(readBrief(brief).intent).map((line) => line.trim().replace(/^#+\s*/, ''))
  const title = lines.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? ''
  return title.length > 200 ? `${beginningOf(title, 199)}…` : title
}
