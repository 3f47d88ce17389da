import { mkdir, readdir, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeNewFile } from '../../../platform.ts'
import { jsonLines, type JsonObject, longNotesLines, notesPage, splitLines, textBeginning } from './lines.ts'
import {
  appendLine,
  exactText,
  fileOfSubject,
  fileOfTaste,
  type FilePath,
  fileToChange,
  folderWithin,
  type NoPath,
  readBeginning,
  readEnd,
  readWhole,
  replaceText,
  type SubjectFileRead,
  subjectFolder,
  unwritable,
  whyNot,
} from './subject-files.ts'
import {
  gapLine,
  gapRecord,
  logRecord,
  operationLine,
  readBrief,
  declaredGenres,
  shownRecords,
  subjectContext,
  type SubjectTexts,
} from './subject-context.ts'
import {
  SubjectError,
  type SubjectFacts,
  type SubjectFile,
  type SubjectFolders,
  type Subjects,
  type SubjectsOptions,
  type SubjectReading,
  isSubjectName,
  nameRule,
  quotedId,
  defaultTaste,
} from './subjects.ts'
import { hash } from 'node:crypto'

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
      const text = decodedText(
        await readWhole(await fileOfSubject(options, id, await subjectFolder(options, id), 'notes.md')),
      )
      return notesPage(text, page, options.maxTextChars)
    },
    logOperation: async (id, operation) => logRecord(await append(id, 'log.jsonl', operationLine(operation))),
    logGap: async (id, gap) => gapRecord(await append(id, 'vocabulary_gaps.jsonl', gapLine(id, gap))),
    text: async (file) => exactText(await fileToChange(options, file)),
    async replace(file, change) {
      const place = await fileToChange(options, file)
      await replaceText(options.clock, place, change, await lockFolder(options, file))
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
  if (!isSubjectName(id)) {
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
  return names.filter((name) => isSubjectName(name) && !name.startsWith('.'))
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

/** Reads everything about a subject whose folder exists. An unreadable file is an empty text with a warning. */
async function readSubject(options: SubjectsOptions, id: string, folder: string): Promise<SubjectReading> {
  const { texts, warnings } = await readTexts(options, id, folder)
  const summary = await notesSummary(options, id, texts.notes)
  const read = subjectContext({ ...texts, summary }, options)
  return { id, context: read.context, warnings: [...warnings, ...read.warnings] }
}

async function readTexts(
  places: SubjectFolders,
  id: string,
  folder: string,
): Promise<{ readonly texts: SubjectTexts; readonly warnings: readonly string[] }> {
  const warnings: string[] = []
  const read = async (place: FilePath | NoPath, reader = readWhole) => {
    const found = await reader(place)
    if (found.type === 'unreadable') warnings.push(`${place.shown} cannot be read: ${found.why}.`)
    return found
  }
  const file = (name: string) => fileOfSubject(places, id, folder, name)
  const brief = decodedText(await read(await file('brief.md')))
  const tastes = new Map([[defaultTaste, decodedText(await read(await fileOfTaste(places, defaultTaste)))]])
  const missing: string[] = []
  for (const name of declaredGenres(readBrief(brief).tastes)) {
    const found = await read(await fileOfTaste(places, name))
    if (found.type === 'missing') missing.push(name)
    tastes.set(name, decodedText(found))
  }
  for (const name of missing.slice(0, MOST_NAMED)) {
    warnings.push(`brief.md declares the taste ${name}, and there is no file ${name}.md.`)
  }
  if (missing.length > MOST_NAMED) {
    warnings.push(`There is no file of ${missing.length - MOST_NAMED} more tastes that brief.md declares.`)
  }
  const notes = decodedText(await read(await file('notes.md')))
  const log = decodedText(await read(await file('log.jsonl'), readRecords))
  const gaps = decodedText(await read(await file('vocabulary_gaps.jsonl'), readRecords))
  return { texts: { tastes, brief, notes, log, gaps }, warnings }
}

/** The most missing tastes that warnings name. */
const MOST_NAMED = 10

/** Bytes of the end of a log: enough for the records that are shown. */
function readRecords(place: FilePath | NoPath): Promise<SubjectFileRead> {
  return readEnd(place, (bytes) => jsonLines(decoded(bytes)).objects.length >= shownRecords)
}

/** A summary of long notes by a model, if there is one. */
async function notesSummary(
  { summaryOf }: SubjectsOptions,
  subject: string,
  text: string,
): Promise<string | undefined> {
  const lines = splitLines(text).length
  if (summaryOf === undefined || lines <= longNotesLines) return undefined
  try {
    const summary = await summaryOf({ subject, text, lines, sha256: hash('sha256', text, 'hex') })
    return summary === undefined || summary.trim() === '' ? undefined : summary
  } catch {
    return undefined
  }
}

function decodedText(read: SubjectFileRead): string {
  return read.type === 'bytes' ? decoded(read.bytes) : ''
}

/** Replaces invalid UTF-8 (BEHAVIOURS §4) and keeps everything else, including a byte order mark. */
function decoded(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
