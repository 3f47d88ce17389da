import { exactLine, type ManifestEntry, numberText } from '../context.ts'
import { type ForeignPieces, type ComparedUnit, isResultEntry, withinTurn } from './compared-unit.ts'

/** What kind of change it is. `grew`: the later call only continues the earlier one. */
export type ForeignCause =
  | 'model'
  | 'grew'
  | 'shrank'
  | 'tool-order'
  | 'tool-added'
  | 'tool-removed'
  | 'tool-changed'
  | 'clock'
  | 'text-changed'
  | 'text-added'
  | 'text-removed'
  | 'result-changed'
  | 'compacted'
  | 'taken-back'
  | 'history-edited'

/** Where two calls begin to differ. */
export interface FirstChange {
  readonly before: ForeignPieces
  readonly after: ForeignPieces
  readonly old: readonly ComparedUnit[]
  readonly now: readonly ComparedUnit[]
  /** Index of the first unit that differs. */
  readonly at: number
  /** Sections at the beginning of that unit that are the same. */
  readonly within: number
}

/** The entry at which the later call changed, and why. */
export interface ChangeCause {
  readonly entry: ManifestEntry
  readonly cause: ForeignCause
  readonly why: string
}

/** Names what changed, from the entries and texts of both calls. */
export function causeOfChange(change: FirstChange): ChangeCause {
  const { old, now, at, within } = change
  const [gone, here] = [sectionAt(old[at], within), sectionAt(now[at], within)]
  if (!gone) {
    const known = new Set(resultsOf(old))
    const again = resultsOf(now.slice(at)).find((name) => known.has(name))
    const why =
      again === undefined
        ? 'The conversation went on. Everything before that is as it was.'
        : `The conversation went on with the result of ${again} again: the earlier one is still there.`
    return { entry: here!.entry, cause: 'grew', why }
  }
  if (!here) {
    return { entry: gone.entry, cause: 'shrank', why: 'The later request ends earlier: what was at its end is gone.' }
  }
  if (gone.entry.slot === 'tools' || here.entry.slot === 'tools') return toolChange(change, gone.entry, here.entry)
  const [isOld, isNow] = [isConversation(gone.entry), isConversation(here.entry)]
  if (!isOld && !isNow) return textChange(change, gone, here)
  return historyChange(change, gone, here)
}

interface Section {
  readonly entry: ManifestEntry
  readonly text: string
}

function sectionAt(unit: ComparedUnit | undefined, index: number): Section | undefined {
  return unit?.sections[index] ?? unit?.sections.at(-1)
}

const conversation: ReadonlySet<string> = new Set(['turn', 'tool-call', 'reasoning', 'image', 'other'])

function isConversation(entry: ManifestEntry): boolean {
  const { layer, slot } = entry
  return (slot === 'history' || slot === 'input') && (conversation.has(layer) || isResultEntry(entry))
}

/** Tools with what their calls named, of all results. */
function resultsOf(units: readonly ComparedUnit[]): readonly string[] {
  const entries = units.flatMap(({ sections }) => sections.map(({ entry }) => entry))
  return entries
    .filter(isResultEntry)
    .flatMap(({ name, origin }) => (name === undefined ? [] : [`${origin.ref} ${name}`]))
}

function toolChange({ before, after }: FirstChange, gone: ManifestEntry, here: ManifestEntry): ChangeCause {
  const [had, has] = [toolNames(before), toolNames(after)]
  if (here.slot === 'tools' && !had.includes(here.id)) {
    const added = has.filter((name) => !had.includes(name))
    return { entry: here, cause: 'tool-added', why: `${tools(added)} offered now, and not before.` }
  }
  if (gone.slot === 'tools' && !has.includes(gone.id)) {
    const removed = had.filter((name) => !has.includes(name))
    return { entry: gone, cause: 'tool-removed', why: `${tools(removed)} no longer offered.` }
  }
  const isSame = gone.id === here.id
  const why = isSame
    ? `The definition of the tool ${here.id} changed.`
    : `The tools are in another order: ${here.id} is where ${gone.id} was.`
  return { entry: here, cause: isSame ? 'tool-changed' : 'tool-order', why }
}

function toolNames({ manifest }: ForeignPieces): readonly string[] {
  return manifest.entries.flatMap(({ slot, outcome, id }) => (slot === 'tools' && outcome !== 'omitted' ? [id] : []))
}

function tools(names: readonly string[]): string {
  if (names.length === 1) return `The tool ${names[0]} is`
  const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
  return `The tools ${names.slice(0, 3).join(', ')}${more} are`
}

function textChange({ before, after }: FirstChange, gone: Section, here: Section): ChangeCause {
  if (isSameEntry(gone.entry, here.entry)) {
    const { entry, text } = here
    const clock = clockChange(gone.text, text)
    const why = clock
      ? `Only ${clock.what} in ${named(entry)} changed: ${clock.before} before, ${clock.now} now.`
      : `The text of ${named(entry)} changed${placeOf(gone.text, text)}.`
    return { entry, cause: clock ? 'clock' : 'text-changed', why }
  }
  if (!hasEntry(before, here.entry)) {
    return { entry: here.entry, cause: 'text-added', why: `New in the request: ${named(here.entry)}.` }
  }
  if (!hasEntry(after, gone.entry)) {
    return { entry: gone.entry, cause: 'text-removed', why: `No longer in the request: ${named(gone.entry)}.` }
  }
  return { entry: here.entry, cause: 'text-changed', why: `Another place was given to ${named(here.entry)}.` }
}

function historyChange(change: FirstChange, gone: Section, here: Section): ChangeCause {
  const { before, after, old, now, at } = change
  const [had, has] = [before, after].map(({ manifest: { slots } }) => slots.history + slots.input) as [number, number]
  const summaries = ({ manifest }: ForeignPieces) => manifest.entries.filter(({ layer }) => layer === 'summary').length
  const isSummed = summaries(after) > summaries(before)
  const rest = now.slice(at).flatMap(({ sections }) => sections)
  const isNewEnd = rest.every(({ entry }) => entry.slot === 'input')
  const sharesTurn = now.slice(0, at).some(({ sections }) => sections.some(({ entry }) => isConversation(entry)))
  if (isSummed || (has < had * COMPACTED && !(isNewEnd && sharesTurn))) {
    const why = `The history was compacted: ${count(had)} of conversation before, ${count(has)} now.`
    return { entry: here.entry, cause: 'compacted', why }
  }
  if (isNewEnd && old.length - at > 1 && turnsFrom(old, at) > 1) {
    const turns = turnsFrom(old, at)
    const why = `The conversation goes on from an earlier point: ${turns} turns of the call before are gone.`
    return { entry: here.entry, cause: 'taken-back', why }
  }
  const isResult = isResultEntry(here.entry) && withinTurn(here.entry) === withinTurn(gone.entry)
  if (isResult) {
    const what = here.entry.tokens < gone.entry.tokens / 2 ? 'was cut down' : 'changed'
    const sizes = `${count(gone.entry.tokens)} before, ${count(here.entry.tokens)} now`
    const result = named(here.entry).replace(/^t/, 'T')
    return { entry: here.entry, cause: 'result-changed', why: `${result} ${what}: ${sizes}.` }
  }
  if (!isConversation(gone.entry) && !hasEntry(after, gone.entry)) {
    return { entry: gone.entry, cause: 'text-removed', why: `No longer in the history: ${named(gone.entry)}.` }
  }
  if (!isConversation(here.entry) && !hasEntry(before, here.entry)) {
    return { entry: here.entry, cause: 'text-added', why: `New within the history: ${named(here.entry)}.` }
  }
  const next = (units: readonly ComparedUnit[]) => units.slice(at + 1, at + 8).map(({ sections }) => sections[0]!.text)
  const what = next(now).includes(gone.text)
    ? `${named(here.entry)} is new within it`
    : next(old).includes(here.text)
      ? `${named(gone.entry)} was taken out of it`
      : `${named(here.entry)} is not as it was${placeOf(gone.text, here.text)}`
  return { entry: here.entry, cause: 'history-edited', why: `The history was edited: ${what}.` }
}

/** The share of a conversation below which it counts as compacted. */
const COMPACTED = 0.7

function turnsFrom(units: readonly ComparedUnit[], at: number): number {
  const turns = units.slice(at).flatMap(({ sections }) => sections.flatMap(({ entry }) => turnOf(entry) ?? []))
  return new Set(turns).size
}

function turnOf({ id }: ManifestEntry): string | undefined {
  return /^turn-\d+/.exec(id)?.[0]
}

function isSameEntry(one: ManifestEntry, other: ManifestEntry): boolean {
  return one.layer === other.layer && one.id === other.id
}

function hasEntry({ manifest }: ForeignPieces, entry: ManifestEntry): boolean {
  return manifest.entries.some((each) => isSameEntry(each, entry))
}

/** What an entry is called within a sentence. */
function named(entry: ManifestEntry): string {
  const { layer, id, name, origin } = entry
  const turn = turnOf(entry)
  if (layer === 'turn') return id.replace('-', ' ')
  const ofTool = layer === 'tool-result' || layer === 'tool-call'
  const what = ofTool ? `${layer.slice('tool-'.length)} of ${origin.ref}` : layer.replaceAll('-', ' ')
  return `the ${what}${name === undefined ? '' : ` ${name}`}${turn === undefined ? '' : ` of ${turn.replace('-', ' ')}`}`
}

function count(tokens: number): string {
  return `${numberText(tokens)} tokens`
}

/** The most characters of a line that are quoted. */
const LONGEST = 60

/** Where a text begins to differ: its first other line. Blank where the texts are not known. */
function placeOf(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const at = now.findIndex((line, index) => line !== old[index])
  const line = exactLine((at < 0 ? (old[now.length] ?? '') : now[at]!).trim().slice(0, 400).toWellFormed())
  if (line === '' || (old.length === 1 && /^[\da-f]{64}$/.test(before))) return ''
  return `, first at “${line.length > LONGEST ? `${line.slice(0, LONGEST - 1).toWellFormed()}…` : line}”`
}

const months = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*'
const days = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?'
const date = String.raw`${days}(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|${months} \d{1,2},? \d{4}|\d{1,2} ${months} \d{4}|${months} \d{1,2}\b)`
const time = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT|[A-Z]{3,4}|[+-]\d{2}:?\d{2}))?`
const moment = new RegExp(`${date}(?:,? (?:at )?|T)${time}|${date}|${time}`, 'g')

/** The most characters in which moments are looked for. */
const MOST_SEARCHED = 200_000

/** Finds whether two texts differ in nothing but moments. */
function clockChange(
  before: string,
  after: string,
): { readonly what: 'the date' | 'the time'; readonly before: string; readonly now: string } | undefined {
  if (before === after || before.length > MOST_SEARCHED || after.length > MOST_SEARCHED) return undefined
  if (before.replaceAll(moment, '…') !== after.replaceAll(moment, '…')) return undefined
  const [old, now] = [momentsOf(before), momentsOf(after)]
  const at = now.findIndex((each, index) => each !== old[index])
  if (at < 0) return undefined
  const day = new RegExp(date).exec(now[at]!)?.[0]
  const isDate = day !== undefined && day !== new RegExp(date).exec(old[at]!)?.[0]
  return { what: isDate ? 'the date' : 'the time', before: old[at]!, now: now[at]! }
}

function momentsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(moment), ([found]) => found)
}
