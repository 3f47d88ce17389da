import { countedText, entryTurn, layerWords, numberText, turnNumber } from './entry-words.ts'
import { entrySentence, listedName, noteNumber } from './explain.ts'
import type { Manifest, ManifestEntry } from './manifest.ts'

/** A line of a list of candidates: one of them, or a range of neighbours that were left out for one reason. */
export interface ListedRow {
  readonly name: string
  /** Of a range: its first candidate, with the tokens of all. */
  readonly entry: ManifestEntry
  /** Why it is not sent in full; absent where it is. */
  readonly sentence?: string
}

/** So many neighbours that were left out for one reason are one row. */
const LEAST_FOLDED = 3

/** The candidates as people read them, in the order of the conversation, ranges of equal rows folded: `turns 36 to 39`. Pure. */
export function listedRows(manifest: Manifest): readonly ListedRow[] {
  return equalRanges(inOrderOfTurns(manifest)).flatMap((entries) =>
    entries.length === 1 ? [rowOf(entries[0]!)] : [rangeOf(entries)],
  )

  function rowOf(entry: ManifestEntry): ListedRow {
    const sentence = entrySentence(entry, manifest)
    return { name: listedName(entry, manifest), entry, ...(sentence === undefined ? {} : { sentence }) }
  }

  function rangeOf(entries: readonly ManifestEntry[]): ListedRow {
    const [first] = entries
    const name = rangeName(entries, manifest)
    const fullTokens = entries.reduce((sum, each) => sum + each.fullTokens, 0)
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    const wanted = `${countedText(fullTokens, 'token')} wanted`
    return {
      name,
      entry: { ...first!, fullTokens },
      sentence: `${title} left out: ${wanted}, ${rangeWords(first!, manifest)}.`,
    }
  }
}

/** Candidates in ranges of neighbours that were left out for one reason; every other one alone. Pure. */
export function equalRanges(entries: readonly ManifestEntry[]): readonly (readonly ManifestEntry[])[] {
  const ranges: ManifestEntry[][] = []
  let key: string | undefined
  for (const entry of entries) {
    const own = rangeKey(entry)
    if (own !== undefined && own === key) ranges.at(-1)!.push(entry)
    else ranges.push([entry])
    key = own
  }
  return ranges.flatMap((range) => (range.length < LEAST_FOLDED ? range.map((entry) => [entry]) : [range]))
}

/** A sentence for each row that is not sent in full, or not as it was written, in reading order. Pure. */
export function entrySentences(manifest: Manifest): readonly string[] {
  return listedRows(manifest).flatMap(({ sentence }) => sentence ?? [])
}

/** What stands for many older turns is behind the first turns, which a cut keeps. */
function inOrderOfTurns({ entries, cut }: Manifest): readonly ManifestEntry[] {
  const earlier = entries.find(({ id, layer }) => id === 'earlier' && layer === 'turn')
  const last = entries.findLast((entry) => cut?.first?.includes(entryTurn(entry) ?? ''))
  if (earlier === undefined || last === undefined) return entries
  return entries.flatMap((entry) => (entry === earlier ? [] : entry === last ? [last, earlier] : [entry]))
}

/** The same for neighbours that fold. `undefined`: it has a row of its own, such as a range that is one candidate already. */
function rangeKey({ id, layer, slot, outcome, reason }: ManifestEntry): string | undefined {
  if (outcome !== 'omitted' || id === 'earlier') return undefined
  return JSON.stringify([layer, slot, reason?.code, reason?.['note']])
}

function rangeName(entries: readonly ManifestEntry[], manifest: Manifest): string {
  const [first, last] = [entries[0]!, entries.at(-1)!].map((entry) => turnNumber(entry, manifest))
  if (first !== undefined && last !== undefined && first !== last) return `turns ${first} to ${last}`
  if (entries[0]!.layer === 'note') {
    const [one, other] = [entries[0]!, entries.at(-1)!].map((note) => noteNumber(note, manifest))
    return `notes ${one} to ${other}`
  }
  const many = numberText(entries.length)
  if (first !== undefined) return `${many} parts of turn ${first}`
  if (entries[0]!.slot === 'tools') return `${many} tools`
  return `${many} of ${layerWords({ layer: entries[0]!.layer, id: entries[0]!.layer })}`
}

function rangeWords({ reason }: ManifestEntry, manifest: Manifest): string {
  switch (reason?.code) {
    case 'noted': {
      const { note } = reason
      const number = note === undefined ? 0 : noteNumber({ id: String(note) }, manifest)
      return number === 0 ? 'and notes say what they held' : `and note ${number} says what they held`
    }
    case 'low-water':
    case 'budget':
    case 'shortage':
      return 'and there was no room for them'
    case 'deferred':
      return 'and the model is given each of them once it has looked it up'
    case 'undone':
      return 'and a person took them back'
    default:
      return 'each for the same reason'
  }
}
