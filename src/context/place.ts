import { numberText } from './entry-words.ts'
import { reasonSentence } from './explain.ts'
import type { Manifest, ManifestEntry, Slot } from './manifest.ts'

/**
 * Where a candidate of a call was in the call before: its place among what was sent, its tokens and its form, then and now,
 * in a sentence. Pure.
 */
export function placeSentence(entry: ManifestEntry, now: Manifest, before: Manifest): string {
  const old = before.entries.find((each) => keyOf(each) === keyOf(entry))
  if (old === undefined) {
    // Turns that an earlier call cut are one candidate from the next call on.
    const isCut = entry.layer === 'turn' && entry.id === 'earlier'
    return isCut ? 'An earlier call took it out.' : 'New: the call before did not have it.'
  }
  const was = placeOf(old, before)
  const is = placeOf(entry, now)
  if (was === undefined) {
    const why = reasonSentence(old, before) ?? ''
    return `${is === undefined ? 'Left out of the call before, too.' : 'Left out of the call before.'} ${why}`.trim()
  }
  const then = `${numberText(old.tokens)} tokens${old.outcome === 'reduced' ? ` ${formPhrase(old.form ?? 'a-shorter-form')}` : ''}`
  if (is === undefined) return `In the call before it was sent: ${was} of ${sentIn(before)}, ${then}.`
  const facts = [
    placeWords(entry.slot, old.slot, was, is),
    ...(old.outcome === 'reduced' && entry.outcome !== 'reduced' ? ['was shortened then'] : []),
    ...(old.outcome !== 'reduced' && entry.outcome === 'reduced' ? ['was whole then'] : []),
    entry.tokens === old.tokens ? 'the same tokens' : `${then} then`,
    ...(isOther(entry, old) ? ['another text'] : []),
  ]
  return `Against the call before: ${facts.join(', ')}.`
}

function placeWords(slot: Slot, before: Slot, was: string, is: string): string {
  const moved = was === is ? 'same place' : `moved from ${was} to ${is}`
  return slot === before ? moved : `${moved}, from ${before} to ${slot}`
}

/** The same form with another content. Another form always has another one. */
function isOther(entry: ManifestEntry, old: ManifestEntry): boolean {
  if (entry.form !== old.form) return false
  return entry.digest !== undefined && old.digest !== undefined && entry.digest !== old.digest
}

/** `3rd` among what is sent; `undefined`: it is left out. */
function placeOf(entry: ManifestEntry, { entries }: Manifest): string | undefined {
  if (entry.outcome === 'omitted') return undefined
  return ordinal(entries.filter(({ outcome }) => outcome !== 'omitted').indexOf(entry) + 1)
}

function sentIn({ entries }: Manifest): number {
  return entries.filter(({ outcome }) => outcome !== 'omitted').length
}

function ordinal(place: number): string {
  const ending = place % 100 >= 11 && place % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th')
  return `${place}${ending}`
}

/** A layer, a tool and a turn may have the same id. */
function keyOf({ layer, id }: ManifestEntry): string {
  return `${layer} ${id}`
}

/** Forms that the core and the capabilities make, each as it follows `sent`. */
const phrases: Readonly<Record<string, string>> = {
  full: 'in full',
  excerpt: 'as an excerpt',
  list: 'as a list',
  'list-names': 'as a list of names',
  'list-search': 'as a hint to search',
  'tool-output-excerpt': 'with excerpts of tool results',
  'tool-output-cleared': 'without tool results',
  words: 'in words of the model, with an index',
  index: 'as an index',
  'image-marker': 'with a marker in place of images',
}

/** A form as people read it, behind a word such as `sent`: `as a list`. A form that the core does not know is given by its name. Pure. */
export function formPhrase(form: string): string {
  return phrases[form] ?? `as ${form.replaceAll('-', ' ')}`
}
