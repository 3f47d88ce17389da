import { countedText, layerWords, numberText, percentText, earlierTurns, turnNumber } from './entry-words.ts'
import { exactLine } from './exact-text.ts'
import type { Manifest, ManifestEntry, Slot } from './manifest.ts'
import { neutralizedWords } from './neutral-text.ts'
import { phrase } from './phrase.ts'
import type { Reason, ReasonCode } from './reason.ts'

/** Why a candidate is not sent in full, with the numbers that decided; `undefined` where it is, and no reason is given. Pure. */
export function reasonSentence(entry: ManifestEntry, manifest: Manifest): string | undefined {
  const { reason, outcome, tokens, fullTokens } = entry
  if (reason === undefined) return undefined
  const why = whyWords(entry, reason, manifest)
  if (outcome === 'included') return `${capital(why)}.`
  const wanted = countedText(fullTokens, 'token')
  return outcome === 'omitted'
    ? phrase`${wanted} wanted, ${why}.`
    : phrase`${wanted} wanted, ${numberText(tokens)} sent: ${why}.`
}

/**
 * What became of a candidate that is not sent in full, or not as it was written, by the name that people know: `Turn 3 left
 * out: 812 tokens wanted, …`. Pure.
 */
export function entrySentence(entry: ManifestEntry, manifest: Manifest): string | undefined {
  const why = reasonSentence(entry, manifest)
  if (entry.outcome === 'included') {
    return entry.reason?.code === 'neutralized' ? `${capital(entryName(entry, manifest))}: ${why}` : undefined
  }
  const name = capital(entryName(entry, manifest))
  const what = entry.outcome === 'omitted' ? phrase`${name} left out` : phrase`${name} shortened`
  return why === undefined ? `${what}.` : `${what}: ${why}`
}

/** What people call a candidate, inside a sentence: `turn 3`, `the tool search`, `skills`. Pure. */
export function entryName(entry: ManifestEntry, manifest: Manifest): string {
  const { id, layer, slot, name = id } = entry
  if (slot === 'tools') return phrase`the tool ${id}`
  if (layer === 'attachment') return phrase`the file ${name}`
  if (layer === 'head-change') return phrase`the announcement of a change of ${changedLayer(entry)!}`
  if (layer === 'note') return phrase`note ${noteNumber(entry, manifest)}`
  const number = turnNumber(entry, manifest)
  if (layer === 'turn') {
    const earlier = earlierTurns(manifest)
    const last = earlier + (manifest.cut?.first?.length ?? 0)
    if (id === 'earlier') return earlier === 1 ? phrase`turn ${last}` : phrase`turns ${last - earlier + 1} to ${last}`
    if (number === undefined) return phrase`a turn`
    return id.endsWith('/lead') ? phrase`the beginning of turn ${number}` : phrase`turn ${number}`
  }
  if (number === undefined) return layerWords(entry)
  return layer === 'unpaired'
    ? phrase`a part of turn ${number}`
    : phrase`message ${/\d+$/.exec(id)?.[0] ?? id} of turn ${number}`
}

/** Whose change a candidate announces: the id of a part of the beginning. `undefined`: it announces none. Pure. */
export function changedLayer({ layer, id }: Pick<ManifestEntry, 'layer' | 'id'>): string | undefined {
  return layer === 'head-change' ? (id.split('/head-change/')[1] ?? id) : undefined
}

/** What stands for a candidate in a list: its name where it has one that people know, else its id. Pure. */
export function listedName(entry: ManifestEntry, manifest: Manifest): string {
  if (entry.layer === 'head-change') return exactLine(phrase`change of ${changedLayer(entry)!}`)
  if (entry.layer === 'note') return entryName(entry, manifest)
  if (entry.layer !== 'turn') return exactLine(entry.name ?? entry.id)
  return entry.slot === 'input' ? phrase`this turn` : entryName(entry, manifest)
}

/** From 1, in reading order; 0 where the manifest has no such note. Pure. */
export function noteNumber({ id }: Pick<ManifestEntry, 'id'>, { entries }: Manifest): number {
  return entries.filter(({ layer }) => layer === 'note').findIndex((note) => note.id === id) + 1
}

/** The part of a sentence behind the tokens that a candidate wanted. */
function whyWords(entry: ManifestEntry, reason: Reason, manifest: Manifest): string {
  const words = sentences[reason.code as ReasonCode] ?? ownCode
  return words(manifest, reason, entry)
}

type Words = (manifest: Manifest, reason: Reason, entry: ManifestEntry) => string

const imagesWords: Words = (_, { images = phrase`its` }) => phrase`a marker is sent in the place of ${images} images`

const sentences: Readonly<Record<ReasonCode, Words>> = {
  'head-share': (manifest, { limit }) => {
    const [wanted, available] = [wantedBy(manifest, HEAD), manifest.budget.available].map(numberText)
    if (typeof limit !== 'number') {
      return phrase`tools, system and preamble wanted ${wanted!} together, more than their share of the ${available!} that are available`
    }
    return phrase`tools, system and preamble wanted ${wanted!} together, and their share is ${numberText(limit)} of ${available!}`
  },
  shortage: (manifest, _, { layer }) => {
    const free = phrase`${freeWords(manifest)} beside what has to be sent`
    return layer === 'note' ? `${free}; ${phrase`it is kept, and is sent in the next call that has room for it`}` : free
  },
  'low-water': (...about) => cutWords(...about),
  budget: (...about) => cutWords(...about),
  unpaired: () => phrase`and a tool call and its result are sent only together`,
  noted: (manifest, { turns, unsent, note }) => {
    if (typeof turns !== 'number') {
      const number = note === undefined ? 0 : noteNumber({ id: String(note) }, manifest)
      const which = number === 0 ? phrase`a note` : phrase`note ${number}`
      return unsent === undefined
        ? phrase`and ${which} says what it held`
        : phrase`and ${which} says what it held, which is not sent in this call for want of room`
    }
    const some =
      unsent === undefined
        ? ''
        : unsent === 1
          ? `; ${phrase`1 of them is not sent in this call for want of room`}`
          : `; ${phrase`${unsent} of them are not sent in this call for want of room`}`
    const isOne = manifest.entries.filter(({ layer }) => layer === 'note').length === 1
    return `${isOne ? phrase`and note 1 says what they held` : phrase`and notes say what they held`}${some}`
  },
  undone: () => phrase`and a person took it back`,
  'not-led-by-user': () => phrase`and a conversation that is sent begins with a message of a person`,
  blank: () => phrase`since it has no text`,
  'no-such-turn': () => phrase`and the turn that it belongs to is not sent`,
  'model-cannot-see': (...about) => phrase`${imagesWords(...about)}, because the model cannot see images`,
  'model-cannot-hear': (_, { images = phrase`its` }) =>
    phrase`a marker is sent in the place of ${images} recordings, because the model or its API takes no sound`,
  'image-gone': (...about) => phrase`${imagesWords(...about)}, because their bytes are no longer stored`,
  'wire-cannot-carry': (...about) =>
    phrase`${imagesWords(...about)}, because the API of the provider has no place for them`,
  'sent-as-messages': () => phrase`and the same conversation is sent as messages`,
  neutralized: (_, { code: _code, ...found }) => {
    const words = neutralizedWords(found)
    const isOne = Object.values(found).reduce((sum: number, number) => sum + Number(number), 0) === 1
    return isOne ? phrase`${words} in it is written out` : phrase`${words} in it are written out`
  },
  deferred: () => phrase`and the model is given it once it has looked it up`,
  'no-system-prompt': () => phrase`and the owner chose to send no system prompt`,
}

/** A code of a layer source, with its numbers. */
const ownCode: Words = (_, { code, ...numbers }) => {
  const facts = Object.entries(numbers).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? numberText(value) : value}`,
  )
  return phrase`for the reason ${JSON.stringify(code)} of its source${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}

/**
 * Why a cut took something out: the inequality where this call decided it. What is older than something that did not fit goes
 * with it, and what an earlier cut took stays out, so that the beginning of the request stays the same.
 */
function cutWords(manifest: Manifest, reason: Reason, entry: ManifestEntry): string {
  const { wanted, free, share } = reason
  const room = shareWords(reason)
  if (entry.outcome === 'reduced') {
    return share === undefined
      ? phrase`tool results gave way to what is newer`
      : phrase`tool results gave way to the cut to ${room}`
  }
  if (typeof wanted !== 'number' || typeof free !== 'number') {
    return reason.code === 'budget'
      ? phrase`${freeWords(manifest)} beside what is newer`
      : manyTurns(entry)
        ? phrase`and the cut to ${room} in an earlier call took them out; ${freeWords(manifest)} now`
        : phrase`and the cut to ${room} in an earlier call took it out; ${freeWords(manifest)} now`
  }
  const when = share === undefined ? phrase`beside what is newer` : phrase`after the cut to ${room}`
  const least = (rest: string) => (wanted < entry.fullTokens ? phrase`${numberText(wanted)} at least, ${rest}` : rest)
  if (wanted > free) {
    const decided = phrase`${numberText(free)} were free ${when}`
    return least(
      wanted > entry.fullTokens ? phrase`${numberText(wanted)} with the rest of its turn, ${decided}` : decided,
    )
  }
  const newer = manifest.entries
    .slice(manifest.entries.indexOf(entry) + 1)
    .find((each) => Number(each.reason?.['wanted'] ?? 0) > Number(each.reason?.['free'] ?? Infinity))
  const name = newer && entryName(newer, manifest)
  return least(
    name === undefined
      ? phrase`and something newer did not fit ${when}`
      : phrase`and ${name}, which is newer, did not fit ${when}`,
  )
}

function manyTurns({ id, reason }: ManifestEntry): boolean {
  return id === 'earlier' && reason?.['turns'] !== 1
}

function shareWords({ share = 1 }: Reason): string {
  if (share === 0.5) return phrase`half of the room`
  if (share === 0.25) return phrase`a quarter of the room`
  return typeof share === 'number' && share < 1 ? phrase`${percentText(share)} of the room` : phrase`the room`
}

const HEAD: readonly Slot[] = ['tools', 'system', 'preamble']

/** Codes of candidates that no room would have brought into the request. */
const NO_MATTER_OF_ROOM = new Set<Reason['code']>(['blank', 'sent-as-messages', 'no-system-prompt'])

function wantedBy({ entries }: Manifest, slots: readonly Slot[]): number {
  return entries
    .filter(({ slot, reason }) => slots.includes(slot) && !NO_MATTER_OF_ROOM.has(reason?.code ?? ''))
    .reduce((sum, { fullTokens }) => sum + fullTokens, 0)
}

function freeWords({ budget, used }: Manifest): string {
  return phrase`${numberText(Math.max(0, budget.available - used))} of ${numberText(budget.available)} are free`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
