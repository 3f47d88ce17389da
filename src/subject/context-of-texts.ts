import { readBrief } from './brief.ts'
import { gapRecord } from './gap-record.ts'
import { type JsonLines, jsonLines } from './json-lines.ts'
import { logRecord } from './log-record.ts'
import { notesForm } from './notes-form.ts'
import type { SubjectContext } from './subject-context.ts'
import { defaultTaste, isTasteName, nameRule } from './subject-name.ts'
import { type Genre, tasteConflicts } from './taste-conflicts.ts'
import { beginningOf, cappedText, moreBySetting } from './text-cap.ts'

/** What was read of a subject; a file that is missing is an empty text. */
export interface SubjectTexts {
  /** By name, without `.md`; more than the brief declares does no harm. */
  readonly tastes: ReadonlyMap<string, string>
  readonly brief: string
  readonly notes: string
  /** Of `log.jsonl`; the end of it is enough. */
  readonly log: string
  /** Of `vocabulary_gaps.jsonl`; the end of it is enough. */
  readonly gaps: string
}

export interface SubjectLimits {
  /** The most of one text, characters. */
  readonly maxTextChars: number
}

/** Records of the log, and of the gaps, that a context shows. */
export const shownRecords = 10

/**
 * The working context of a subject, from texts alone (BEHAVIOURS §4). Any text will do: what is odd about them is said in
 * the warnings.
 */
export function subjectContext(
  texts: SubjectTexts,
  { maxTextChars }: SubjectLimits,
): { readonly context: SubjectContext; readonly warnings: readonly string[] } {
  const cap = (text: string) => cappedText(text, maxTextChars, moreBySetting)
  const { raw, intent, tastes } = readBrief(texts.brief)
  const genres = genresOf(tastes, texts.tastes)
  const conflicts = fitting(tasteConflicts(genres), ({ point }) => point.length, maxTextChars)
  const names = fitting(tastes, (name) => name.length, maxTextChars)
  const log = jsonLines(texts.log)
  const gaps = jsonLines(texts.gaps)
  const context: SubjectContext = {
    tastes: {
      default: cap(texts.tastes.get(defaultTaste) ?? ''),
      genres: Object.fromEntries(genres.map(([name, text]) => [name, cap(text)])),
      conflicts: conflicts.shown,
    },
    brief: { raw: cap(raw), intent: cap(intent), tastes: names.shown },
    notes: notesForm(texts.notes, maxTextChars),
    recent_log: log.objects.slice(0, shownRecords).map((line) => logRecord(line, maxTextChars)),
    recent_gaps: gaps.objects.slice(0, shownRecords).map((line) => gapRecord(line, maxTextChars)),
  }
  const warnings = [
    ...noNames(tastes),
    ...leftOut(names.left, 'declared taste'),
    ...leftOut(conflicts.left, 'conflict'),
    ...brokenLines('log.jsonl', log),
    ...brokenLines('vocabulary_gaps.jsonl', gaps),
  ]
  return { context, warnings }
}

/** Names of files that a brief asks for, 100 at most: each once, and no other than names of tastes. */
export function declaredGenres(tastes: readonly string[]): readonly string[] {
  return [...new Set(tastes)].filter((name) => name !== defaultTaste && isTasteName(name)).slice(0, 100)
}

function genresOf(tastes: readonly string[], read: ReadonlyMap<string, string>): readonly Genre[] {
  return declaredGenres(tastes)
    .map((name): Genre => [name, read.get(name) ?? ''])
    .filter(([, text]) => text.trim() !== '')
}

/** A list is one text as far as its limit goes: as many of its parts as there is room for. */
function fitting<Part>(
  parts: readonly Part[],
  sizeOf: (part: Part) => number,
  maxChars: number,
): { readonly shown: readonly Part[]; readonly left: number } {
  let used = 0
  const over = parts.findIndex((part) => (used += sizeOf(part)) > maxChars)
  const shown = over === -1 ? parts : parts.slice(0, over)
  return { shown, left: parts.length - shown.length }
}

function leftOut(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${count} more ${what}${count === 1 ? ' is' : 's are'} not shown: ${moreBySetting}.`]
}

function noNames(tastes: readonly string[]): readonly string[] {
  const [name, ...more] = [...new Set(tastes)].filter((taste) => !isTasteName(taste))
  if (name === undefined) return []
  const shown = JSON.stringify(name.length > 100 ? `${beginningOf(name, 100)}…` : name)
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`
  return [`brief.md declares the taste ${shown}${others}, which is no name of one. It has ${nameRule}.`]
}

function brokenLines(file: string, { broken }: JsonLines): readonly string[] {
  if (broken === 0) return []
  const skipped = broken === 1 ? '1 line is no JSON object and was' : `${broken} lines are no JSON objects and were`
  return [`${file}: ${skipped} skipped.`]
}
