import { readBrief } from './brief.ts'
import { gapRecord } from './gap-record.ts'
import { type JsonLines, jsonLines } from './json-lines.ts'
import { logRecord } from './log-record.ts'
import { notesForm } from './notes-form.ts'
import type { Conflict, SubjectContext } from './subject-context.ts'
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
  const conflicts = fittingConflicts(tasteConflicts(genres), maxTextChars)
  const log = jsonLines(texts.log)
  const gaps = jsonLines(texts.gaps)
  const context: SubjectContext = {
    tastes: {
      default: cap(texts.tastes.get(defaultTaste) ?? ''),
      genres: Object.fromEntries(genres.map(([name, text]) => [name, cap(text)])),
      conflicts: conflicts.shown,
    },
    brief: { raw: cap(raw), intent: cap(intent), tastes },
    notes: notesForm(texts.notes, maxTextChars),
    recent_log: log.objects.slice(0, shownRecords).map((line) => logRecord(line, maxTextChars)),
    recent_gaps: gaps.objects.slice(0, shownRecords).map((line) => gapRecord(line, maxTextChars)),
  }
  const warnings = [
    ...tastes.filter((name) => !isTasteName(name)).map(noName),
    ...conflicts.warnings,
    ...brokenLines('log.jsonl', log),
    ...brokenLines('vocabulary_gaps.jsonl', gaps),
  ]
  return { context, warnings }
}

/** Names of files that a brief asks for: each once, and no other than names of tastes. */
export function declaredGenres(tastes: readonly string[]): readonly string[] {
  return [...new Set(tastes)].filter((name) => name !== defaultTaste && isTasteName(name))
}

function genresOf(tastes: readonly string[], read: ReadonlyMap<string, string>): readonly Genre[] {
  return declaredGenres(tastes)
    .map((name): Genre => [name, read.get(name) ?? ''])
    .filter(([, text]) => text.trim() !== '')
}

/** All conflicts together are one text, as far as its limit goes. */
function fittingConflicts(
  conflicts: readonly Conflict[],
  maxChars: number,
): { readonly shown: readonly Conflict[]; readonly warnings: readonly string[] } {
  let used = 0
  const over = conflicts.findIndex(({ point }) => (used += point.length) > maxChars)
  if (over === -1) return { shown: conflicts, warnings: [] }
  const rest = conflicts.length - over
  return {
    shown: conflicts.slice(0, over),
    warnings: [`${rest} more ${rest === 1 ? 'line stands' : 'lines stand'} in several tastes and are not shown`],
  }
}

function noName(name: string): string {
  const shown = name.length > 100 ? `${beginningOf(name, 100)}…` : name
  return `brief.md declares the taste ${JSON.stringify(shown)}, which is no name of one: ${nameRule}`
}

function brokenLines(file: string, { broken }: JsonLines): readonly string[] {
  if (broken === 0) return []
  return [
    `${file}: ${broken === 1 ? '1 line is no JSON object and was' : `${broken} lines are no JSON objects and were`} skipped`,
  ]
}
