import { mkdir, realpath } from 'node:fs/promises'
import { appendLine } from './append-line.ts'
import { createSubject } from './create-subject.ts'
import { gapLine, operationLine } from './log-line.ts'
import { gapRecord } from './log-line.ts'
import type { JsonObject } from './json-lines.ts'
import { anySubject, listSubjects } from './list-subjects.ts'
import { logRecord } from './log-line.ts'
import { notesPage } from './notes-page.ts'
import { readNotes, readSubject } from './read-subject.ts'
import { exactText, replaceText } from './replace-text.ts'
import { unwritable, whyNot } from './file-path.ts'
import { fileOfSubject, fileToChange, subjectFolder, type SubjectFolders } from './subject-folders.ts'
import type { SubjectsOptions } from './subjects-options.ts'
import type { SubjectFile, Subjects } from './subjects.ts'

/** Subjects and tastes as folders of files (BEHAVIOURS §4). A folder that is missing is an empty one. */
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
      await replaceText(place, change, await meetingFolder(options, file))
    },
  }
}

/** Where those meet who change files of a kind. The folder of the tastes is made where it is missing. */
async function meetingFolder({ directory, tastes }: SubjectFolders, file: SubjectFile): Promise<string> {
  if (file.type === 'notes') return directory
  try {
    await mkdir(tastes, { recursive: true, mode: 0o700 })
    return await realpath(tastes)
  } catch (error) {
    throw unwritable('the folder of the tastes', whyNot(error))
  }
}
