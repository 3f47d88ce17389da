import type { Compared, Comparison } from './compare.ts'
import { layerWords, numberText, earlierTurns, turnNumber } from './entry-words.ts'
import { reasonSentence } from './explain.ts'
import type { Manifest, ManifestEntry, Slot } from './manifest.ts'
import { phrase } from './phrase.ts'
import type { Piece } from './request.ts'

/**
 * Why the later of two calls begins otherwise than the earlier one, in a sentence: what a person did, or what happened. With
 * the pieces of both it says where a text was edited, and tells a new day from an edit. Pure.
 */
export function differenceCause({ firstDifference: first }: Comparison, before: Compared, after: Compared): string {
  const [old, now] = [before.manifest, after.manifest]
  if (old.model !== now.model) {
    return phrase`Another model was chosen: ${old.model ?? phrase`none`} before, ${now.model ?? phrase`none`} now.`
  }
  if (first === undefined) return phrase`The two requests are the same.`
  if (old.layout !== now.layout) return phrase`Another layout was chosen: ${old.layout} before, ${now.layout} now.`
  const { id, slot, cause } = first
  const [was, is] = [entryOf(old, id, slot), entryOf(now, id, slot)]
  if (slot === 'tools') return toolCause(id, cause)
  if (cause === 'grew') return WENT_ON
  if (cause === 'shrank') return phrase`The later request ends earlier: what was at its end is gone.`
  if (slot === 'history' || slot === 'input') return historyCause(id, cause, old, now)
  const entry = is ?? was
  if (entry === undefined) return phrase`${quoted(id)} differs.`
  return layerCause({ entry, was, is, cause, old, now }, textOf(before, was), textOf(after, is))
}

const WENT_ON = phrase`The conversation went on. Everything before that is as it was.`

interface Change {
  readonly entry: ManifestEntry
  /** In the earlier account, left out or not. */
  readonly was: ManifestEntry | undefined
  readonly is: ManifestEntry | undefined
  readonly cause: string
  readonly old: Manifest
  readonly now: Manifest
}

function layerCause(change: Change, before: string, after: string): string {
  const { entry, was, is, cause, old, now } = change
  const name = layerWords(entry)
  const [source, budget] = [fromWords(entry), budgetWords(old, now)]
  switch (cause) {
    case 'came':
      if (was) return `${budget}${phrase`There is room for the ${name} now. It was left out before.`}`
      return phrase`New in the request: the ${name + source}.`
    case 'went':
      if (is?.reason) return `${budget}${phrase`Left out now: the ${name}.`} ${reasonSentence(is, now)!}`
      return phrase`No longer in the request: the ${name + source}.`
    case 'form': {
      const why = is && reasonSentence(is, now)
      const [oldForm, newForm] = [quoted(was?.form ?? 'full'), quoted(is?.form ?? 'full')]
      const what = phrase`Another form of the ${name} is sent: ${oldForm} before, ${newForm} now.`
      return `${budget}${what}${why === undefined ? '' : ` ${why}`}`
    }
    case 'moved':
      if (was && is && is.slot.endsWith('-input')) {
        return phrase`The place of the ${name} is beside the newest message, and it moves along with it.`
      }
      return phrase`Another place was given to the ${name}.`
    default:
      return contentCause(change, name, before, after)
  }
}

/** The text of a layer is another one: chosen, edited, or of another day. */
function contentCause({ entry, was }: Change, name: string, before: string, after: string): string {
  const isWritten = entry.origin.kind === 'operator' || entry.origin.kind === 'file'
  if (isWritten && was && was.origin.ref !== entry.origin.ref) {
    return phrase`Another ${layerWords(entry)} was chosen: ${was.origin.ref} before, ${entry.origin.ref} now.`
  }
  const clock = clockCause(name, before, after)
  if (clock !== undefined) return clock
  const [what, place] = [name + fromWords(entry), placeWords(before, after)]
  return isWritten
    ? phrase`The text of the ${what} was edited${place}.`
    : phrase`The text of the ${what} changed${place}.`
}

const MOMENT = /(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, )?(?<day>\d{4}-\d{2}-\d{2})(?:,? (?<time>\d{2}:\d{2}))?/g

/** Whether nothing but the date or the time in a text is another one. */
function clockCause(name: string, before: string, after: string): string | undefined {
  if (before === after || before.replaceAll(MOMENT, '…') !== after.replaceAll(MOMENT, '…')) return undefined
  const days = (text: string): readonly string[] => Array.from(text.matchAll(MOMENT), ({ groups }) => groups!['day']!)
  const [old, now] = [days(before), days(after)]
  const at = now.findIndex((day, index) => day !== old[index])
  if (at < 0) return phrase`The time of day that the ${name} gives is another one.`
  return phrase`Midnight has passed: the ${name} gives another date, ${old[at]!} before and ${now[at]!} now.`
}

/** The most characters of a line that are quoted. */
const MOST = 60

/** Where two texts begin to differ: the line, and the heading above it. Blank where the texts are not known. */
function placeWords(before: string, after: string): string {
  if (before === '' || after === '') return ''
  const [old, now] = [before.split('\n'), after.split('\n')]
  const changed = now.findIndex((line, index) => line !== old[index])
  const [lines, at] = changed < 0 ? [old, now.length] : [now, changed]
  const first = lines.findIndex((line, index) => index >= at && line.trim() !== '')
  const heading = lines.findLastIndex((line, index) => index > 0 && index < first && /^#+ /.test(line))
  if (first < 0) return ''
  const line = quoted(lines[first]!)
  return heading < 0
    ? phrase`, first at ${line}`
    : phrase`, first at ${line} below ${quoted(lines[heading]!.replace(/^#+ /, ''))}`
}

function toolCause(tool: string, cause: string): string {
  switch (cause) {
    case 'came':
      return phrase`The tool ${tool} is offered now: it was allowed, or its server was connected.`
    case 'went':
      return phrase`The tool ${tool} is no longer offered.`
    case 'moved':
      return phrase`The tool ${tool} is at another place.`
    default:
      return phrase`The definition of the tool ${tool} changed.`
  }
}

function historyCause(id: string, cause: string, old: Manifest, now: Manifest): string {
  const undone = (manifest: Manifest) => manifest.entries.filter(({ reason }) => reason?.code === 'undone').length
  if (undone(now) > undone(old)) return phrase`A turn was taken back.`
  if (JSON.stringify(old.cut) !== JSON.stringify(now.cut)) return cutCause(old, now)
  const isKnown = (manifest: Manifest) => manifest.entries.some((entry) => entry.id === id && entry.layer === 'turn')
  if (cause === 'went' && isKnown(old) && !isKnown(now) && earlierTurns(now) === earlierTurns(old)) {
    return phrase`The conversation goes on in another branch: ${turnWords(id, old)} of the earlier call is no part of it.`
  }
  if (cause === 'went') return `${budgetWords(old, now)}${phrase`There is no room for ${turnWords(id, old)} any more.`}`
  if (cause === 'form')
    return `${budgetWords(old, now)}${phrase`A shorter form of ${turnWords(id, now)} is sent, to make room.`}`
  return WENT_ON
}

/** What the last cut took out, by the numbers of the turns. */
function cutCause(old: Manifest, now: Manifest): string {
  const gone = now.entries.filter(({ slot, outcome }) => slot === 'history' && outcome === 'omitted')
  const numbers = gone.flatMap((entry) => turnNumber(entry, now) ?? [])
  const from = (now.cut?.first?.length ?? 0) + 1
  const last = Math.max(from + earlierTurns(now) - 1, ...numbers)
  const budget = budgetWords(old, now)
  if (last < from) return `${budget}${phrase`The history was cut to make room.`}`
  const what = last === from ? phrase`turn ${from} is left out now` : phrase`turns ${from} to ${last} are left out now`
  return `${budget}${phrase`The history was cut to make room: ${what}.`}`
}

function turnWords(id: string, manifest: Manifest): string {
  const entry = manifest.entries.find((each) => each.id === id)
  const number = entry && turnNumber(entry, manifest)
  return number === undefined ? quoted(entry?.name ?? id) : phrase`turn ${number}`
}

/** A sentence about a budget that a person changed; blank where window and reserve are as they were. */
function budgetWords({ budget: old }: Manifest, { budget: now }: Manifest): string {
  const parts = [
    ...(old.window === now.window
      ? []
      : [phrase`the window has ${numberText(now.window)} tokens, ${numberText(old.window)} before`]),
    ...(old.reserve === now.reserve
      ? []
      : [phrase`${numberText(now.reserve)} are kept for the answer, ${numberText(old.reserve)} before`]),
  ]
  return parts.length === 0 ? '' : `${phrase`The budget changed: ${parts.join('; ')}.`} `
}

/** Where a layer comes from, where that says more than its name. */
function fromWords({ id, layer, origin: { ref } }: ManifestEntry): string {
  return ref === id || ref === layer || ref === 'foreword' ? '' : ` (${ref})`
}

function entryOf({ entries }: Manifest, id: string, slot: Slot): ManifestEntry | undefined {
  const named = entries.filter((entry) => entry.id === id)
  return named.find((entry) => entry.slot === slot) ?? named.find(({ layer }) => layer !== 'tool' && layer !== 'turn')
}

/** What the model read of a candidate; blank where the pieces are not known. */
function textOf({ manifest, pieces = [] }: Compared, entry: ManifestEntry | undefined): string {
  if (entry === undefined) return ''
  const index = manifest.entries.indexOf(entry)
  return pieces.flatMap((piece) => saidOf(piece, index)).join('\n')
}

function saidOf({ entry, content, joined }: Piece, index: number): readonly string[] {
  if (joined) return joined.flatMap((part) => (part.entry === index ? [part.text] : []))
  if (entry !== index) return []
  const said = typeof content === 'object' && 'content' in content ? content.content : content
  return typeof said === 'string' ? [said] : []
}

function quoted(text: string): string {
  const line = text.trim()
  return `“${line.length > MOST ? `${line.slice(0, MOST - 1).trimEnd()}…` : line}”`
}
