import { hash } from 'node:crypto'
import { longNotesLines } from './notes.ts'
import { declaredGenres, shownRecords, subjectContext, type SubjectTexts } from './subject-context.ts'
import { readBrief } from './brief.ts'
import { jsonLines, splitLines } from './lines.ts'
import { type SubjectFileRead, readEnd, readWhole } from './read-subject-file.ts'
import { fileOfSubject, fileOfTaste, type FilePath, type NoPath } from './subject-folders.ts'
import type { SubjectFolders, SubjectReading, SubjectsOptions } from './subjects.ts'
import { defaultTaste } from './subject-name.ts'

/** Reads everything about a subject whose folder exists. An unreadable file is an empty text with a warning. */
export async function readSubject(options: SubjectsOptions, id: string, folder: string): Promise<SubjectReading> {
  const { texts, warnings } = await readTexts(options, id, folder)
  const summary = await notesSummary(options, id, texts.notes)
  const read = subjectContext({ ...texts, summary }, options)
  return { id, context: read.context, warnings: [...warnings, ...read.warnings] }
}

/** All notes; empty if they cannot be read. */
export async function readNotes(places: SubjectFolders, id: string, folder: string): Promise<string> {
  return decodedText(await readWhole(await fileOfSubject(places, id, folder, 'notes.md')))
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
  warnings.push(...missing.slice(0, MOST_NAMED).map(noFile))
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

function noFile(name: string): string {
  return `brief.md declares the taste ${name}, and there is no file ${name}.md.`
}

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
