import {
  capText,
  type JsonLines,
  jsonLines,
  type JsonObject,
  moreByReply,
  moreBySetting,
  notesForm,
  splitLines,
  textBeginning,
  type TextCap,
  uncapped,
  wholeLines,
} from './lines.ts'
import {
  type Brief,
  type Conflict,
  type SubjectContext,
  defaultTaste,
  isSubjectName,
  nameRule,
  type GapEntry,
  type GapRecord,
  type LogRecord,
  type OperationEntry,
  SubjectError,
} from './subjects.ts'

export interface SubjectTexts {
  /** By name, without `.md`. Tastes that the brief does not declare are ignored. */
  readonly tastes: ReadonlyMap<string, string>
  readonly brief: string
  readonly notes: string
  readonly summary?: string | undefined
  /** The text of `log.jsonl`; its end is enough. */
  readonly log: string
  /** The text of `vocabulary_gaps.jsonl`; its end is enough. */
  readonly gaps: string
}

interface SubjectLimits {
  readonly maxTextChars: number
  /** The most characters of a whole context as JSON. Default: 50,000. */
  readonly maxReplyChars?: number | undefined
}

export const shownRecords = 10

/**
 * The working context of a subject, from texts alone (BEHAVIOURS §4). Any text is accepted; the warnings list what is
 * wrong with them. Where all of it is more than a reply may have, every text gives way to the same length; only then
 * do lists show fewer entries.
 */
export function subjectContext(
  texts: SubjectTexts,
  { maxTextChars, maxReplyChars = 50_000 }: SubjectLimits,
): { readonly context: SubjectContext; readonly warnings: readonly string[] } {
  const material = readMaterial(texts)
  const { brief, log, gaps } = material
  const fits = ({ context }: Shown) => JSON.stringify(context).length <= maxReplyChars
  let shown = showContext(material, { chars: maxTextChars, rest: moreBySetting })
  if (!fits(shown)) {
    const shorter = (chars: number) => showContext(material, { chars, rest: moreByReply })
    const fewer = (entries: number) => showContext(material, { chars: LEAST_CHARS, rest: moreByReply }, entries)
    shown = fullest(LEAST_CHARS, maxTextChars, shorter, fits) ?? fullest(0, MOST_GENRES, fewer, fits) ?? fewer(0)
  }
  const warnings = [
    ...invalidTasteNames(brief.tastes),
    ...shown.leftOut,
    ...brokenLines('log.jsonl', log),
    ...brokenLines('vocabulary_gaps.jsonl', gaps),
  ]
  return { context: shown.context, warnings }
}

const MOST_GENRES = 100

/** Every text keeps at least this many characters, which is also the lowest value of the limit. */
const LEAST_CHARS = 200

/** Names of tastes that a brief declares: valid ones, each once, 100 at most. */
export function declaredGenres(tastes: readonly string[]): readonly string[] {
  return genreNames(tastes).slice(0, MOST_GENRES)
}

function genreNames(tastes: readonly string[]): readonly string[] {
  return [...new Set(tastes)].filter((name) => name !== defaultTaste && isSubjectName(name))
}

interface Material {
  readonly texts: SubjectTexts
  readonly brief: Brief
  readonly genres: readonly Genre[]
  readonly conflicts: readonly Conflict[]
  readonly log: JsonLines
  readonly gaps: JsonLines
}

function readMaterial(texts: SubjectTexts): Material {
  const brief = readBrief(texts.brief)
  const genres = declaredGenres(brief.tastes)
    .map((name): Genre => [name, texts.tastes.get(name) ?? ''])
    .filter(([, text]) => text.trim() !== '')
  const conflicts = tasteConflicts(genres)
  return { texts, brief, genres, conflicts, log: jsonLines(texts.log), gaps: jsonLines(texts.gaps) }
}

interface Shown {
  readonly context: SubjectContext
  /** A sentence for each list that is not shown whole. */
  readonly leftOut: readonly string[]
}

/** As much as one text may have, and as many entries as a list may have besides that. */
function showContext({ texts, brief, ...lists }: Material, cap: TextCap, entries = Number.POSITIVE_INFINITY): Shown {
  const shown = (text: string) => capText(text, cap)
  const records = <Record>(lines: readonly JsonObject[], read: (line: JsonObject, cap: TextCap) => Record) =>
    lines.slice(0, Math.min(entries, shownRecords)).map((line) => read(line, cap))
  const genres = lists.genres.slice(0, entries)
  const conflicts = fitting(lists.conflicts.slice(0, entries), ({ point }) => point.length, cap.chars)
  const names = fitting(brief.tastes.slice(0, entries), (name) => name.length, cap.chars)
  const { summary } = texts
  const context: SubjectContext = {
    tastes: {
      default: shown(texts.tastes.get(defaultTaste) ?? ''),
      genres: Object.fromEntries(genres.map(([name, text]) => [name, shown(text)])),
      conflicts,
    },
    brief: { raw: shown(brief.raw), intent: shown(brief.intent), tastes: names },
    notes:
      summary === undefined
        ? notesForm(texts.notes, cap.chars)
        : {
            summary: capText(summary, { ...cap, rest: 'read_full_notes reads the notes themselves' }),
            truncated: true,
          },
    recent_log: records(lists.log.objects, logRecord),
    recent_gaps: records(lists.gaps.objects, gapRecord),
  }
  const recent = (lines: JsonLines) => Math.min(lines.objects.length, shownRecords)
  const leftOut = [
    ...omissionNotice('declared taste', brief.tastes.length - names.length, cap.rest),
    ...omissionNotice('genre', lists.genres.length - genres.length, cap.rest),
    ...omissionNotice(
      'genre',
      genreNames(brief.tastes).length - declaredGenres(brief.tastes).length,
      `${MOST_GENRES} are read`,
    ),
    ...omissionNotice('conflict', lists.conflicts.length - conflicts.length, cap.rest),
    ...omissionNotice('record of the log', recent(lists.log) - context.recent_log.length, cap.rest),
    ...omissionNotice('gap', recent(lists.gaps) - context.recent_gaps.length, cap.rest),
  ]
  return { context, leftOut }
}

/** A list has the limit of one text: as many of its parts as fit. */
function fitting<Part>(parts: readonly Part[], sizeOf: (part: Part) => number, maxChars: number): readonly Part[] {
  let used = 0
  const over = parts.findIndex((part) => (used += sizeOf(part)) > maxChars)
  return over === -1 ? parts : parts.slice(0, over)
}

/** What `make` gives for the largest number from `least` to `most` that fits, found by halving; else `undefined`. */
function fullest<Value>(
  least: number,
  most: number,
  make: (room: number) => Value,
  fits: (value: Value) => boolean,
): Value | undefined {
  let best: Value | undefined
  for (let low = least, high = most; low <= high;) {
    const room = Math.floor((low + high) / 2)
    const value = make(room)
    if (fits(value)) {
      best = value
      low = room + 1
    } else {
      high = room - 1
    }
  }
  return best
}

function omissionNotice(what: string, count: number, why: string): readonly string[] {
  if (count === 0) return []
  const [first = '', ...rest] = what.split(' ')
  const many = count === 1 ? what : [`${first}s`, ...rest].join(' ')
  return [`${count} more ${many} ${count === 1 ? 'is' : 'are'} not shown: ${why}.`]
}

function invalidTasteNames(tastes: readonly string[]): readonly string[] {
  const [name, ...more] = [...new Set(tastes)].filter((taste) => !isSubjectName(taste))
  if (name === undefined) return []
  const shown = JSON.stringify(name.length > 100 ? `${textBeginning(name, 100)}…` : name)
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`
  return [`brief.md declares the taste ${shown}${others}, which is no name of one. It has ${nameRule}.`]
}

function brokenLines(file: string, { broken }: JsonLines): readonly string[] {
  if (broken === 0) return []
  const skipped = broken === 1 ? '1 line is no JSON object and was' : `${broken} lines are no JSON objects and were`
  return [`${file}: ${skipped} skipped.`]
}

/**
 * The last line that reads `Tastes:` counts, all such lines leave the intent, and the intent is trimmed (BEHAVIOURS
 * §4). Names are kept as written; invalid ones are among them and never become a path.
 */
export function readBrief(raw: string): Brief {
  const lines = wholeLines(raw)
  const declared = lines.map(declaration)
  return {
    raw,
    intent: lines
      .filter((_, place) => declared[place] === undefined)
      .join('')
      .trim(),
    tastes: namesIn(declared.findLast((value) => value !== undefined) ?? ''),
  }
}

/** What follows `Tastes:`, `**Tastes:**` or `**Tastes**:`; `undefined` for any other line. */
function declaration(line: string): string | undefined {
  const found = /^(?:\s|\*\*)*tastes(?:\*\*)?:(?:\*\*)?/i.exec(line)
  return found === null ? undefined : line.slice(found[0].length)
}

/** `[a, "b", 'c']`, `a, b, c`, or `"a, b, c"` in one pair of quotes. */
function namesIn(value: string): readonly string[] {
  const list = without(without(value.trim(), '', '**').trim(), '[', ']').trim()
  const inner = unquoted(list)
  // Of `"a", "b"` the outer quotes are no pair.
  return (inner.includes(list.charAt(0)) ? list : inner)
    .split(',')
    .map((name) => unquoted(name.trim()).trim())
    .filter((name) => name !== '')
}

function unquoted(name: string): string {
  const quote = name.charAt(0)
  const isQuoted = name.length > 1 && (quote === '"' || quote === "'") && name.endsWith(quote)
  return isQuoted ? name.slice(1, -1) : name
}

function without(text: string, start: string, end: string): string {
  return text.startsWith(start) && text.endsWith(end) ? text.slice(start.length, text.length - end.length) : text
}

type Genre = readonly [name: string, text: string]

/**
 * Lines that are in two or more files, in the order in which they are first seen. Ends of lines and spaces around
 * them make no difference; blank lines, those that begin with `#`, and those of punctuation alone are ignored
 * (BEHAVIOURS §4).
 */
export function tasteConflicts(genres: readonly Genre[]): readonly Conflict[] {
  const files = new Map<string, Set<string>>()
  for (const [name, text] of genres) {
    for (const point of splitLines(text).map((line) => line.trim())) {
      if (saysNothing(point)) continue
      const standing = files.get(point) ?? new Set()
      files.set(point, standing.add(name))
    }
  }
  return [...files].filter(([, names]) => names.size > 1).map(([point, names]) => ({ point, files: [...names] }))
}

/** Rulers, fences and the like. A line that begins with `#` is a heading or a comment. */
function saysNothing(line: string): boolean {
  return line.startsWith('#') || /^[\p{P}\s$+<=>^`|~]*$/u.test(line)
}

/** All keys but `timestamp` and `op` are details (BEHAVIOURS §4). Those are texts, empty where missing, else JSON. */
export function logRecord({ timestamp, op, ...details }: JsonObject, cap = uncapped): LogRecord {
  return { timestamp: asText(timestamp, cap), op: asText(op, cap), details: cappedDetails(details, cap) }
}

function asText(value: unknown, cap: TextCap): string {
  if (value === undefined || value === null) return ''
  return capText(typeof value === 'string' ? value : JSON.stringify(value), cap)
}

/** Details too long to be shown become the beginning of their JSON, as a text. */
function cappedDetails(details: JsonObject, cap: TextCap): JsonObject {
  const json = JSON.stringify(details)
  return json.length <= cap.chars ? details : { shortened: capText(json, cap) }
}

/** How satisfied a person was: not, neither, or satisfied. */
const satisfactions = [-1, 0, 1] as const

/** Every key, and its default where a line has none or one of another kind (BEHAVIOURS §4). A list keeps its texts. */
export function gapRecord(line: JsonObject, cap = uncapped): GapRecord {
  const text = (key: keyof GapRecord) => readText(line[key], '', cap)
  const textOrNull = (key: keyof GapRecord) => readText(line[key], null, cap)
  const category = text('intent_category')
  return {
    timestamp: text('timestamp'),
    image_id: text('image_id'),
    description: text('description'),
    session_id: textOrNull('session_id'),
    snapshot_hash: textOrNull('snapshot_hash'),
    intent: textOrNull('intent'),
    intent_category: category.trim() === '' ? 'uncategorized' : category,
    missing_capability: textOrNull('missing_capability'),
    operations_involved: readTexts(line['operations_involved'], cap),
    vocabulary_used: readTexts(line['vocabulary_used'], cap),
    satisfaction: satisfactions.find((known) => known === line['satisfaction']) ?? null,
    workaround: textOrNull('workaround'),
    notes: text('notes'),
  }
}

function readText<Default extends string | null>(value: unknown, otherwise: Default, cap: TextCap): string | Default {
  return typeof value === 'string' ? capText(value, cap) : otherwise
}

/** A list too long to be shown becomes the beginning of its JSON, as its only entry. */
function readTexts(value: unknown, cap: TextCap): readonly string[] {
  if (!Array.isArray(value)) return []
  const texts = value.filter((each): each is string => typeof each === 'string')
  const json = JSON.stringify(texts)
  return json.length <= cap.chars ? texts : [capText(json, cap)]
}

/** Details are keys beside `timestamp` and `op`, as they are read (BEHAVIOURS §4). */
export function operationLine({ op, details = {}, timestamp }: OperationEntry): JsonObject {
  if (op.trim() === '') throw fault('op says nothing. Name what was done, such as crop.')
  const taken = ['timestamp', 'op'].find((key) => Object.hasOwn(details, key))
  if (taken !== undefined) throw fault(`details cannot have a key ${taken}. The record has one already.`)
  return { timestamp, op, ...details }
}

export function gapLine(id: string, { timestamp, description, ...known }: GapEntry): JsonObject {
  if (description.trim() === '') throw fault('description says nothing. Say what could not be done.')
  return { timestamp, image_id: id, description, ...known }
}

function fault(message: string): SubjectError {
  return new SubjectError('invalid-input', message)
}
