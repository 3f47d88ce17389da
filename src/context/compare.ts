import { countedText } from './entry-words.ts'
import type { Manifest, ManifestEntry, Slot } from './manifest.ts'
import type { Piece } from './request.ts'

/** Two calls as they are compared. With their pieces the common beginning is exact to the message. */
export interface Compared {
  readonly manifest: Manifest
  /** Of the same assembly. Without them whole entries are compared. */
  readonly pieces?: readonly Piece[]
}

/** What changed from one call to another. */
export interface Comparison {
  /** Now in the request, and not before. */
  readonly came: readonly EntryName[]
  /** No longer in the request. */
  readonly went: readonly EntryName[]
  /** In both, at another place: another slot, or another order among those that stayed. */
  readonly moved: readonly (EntryName & { readonly from: Slot })[]
  /** In both, in another form. */
  readonly changedForm: readonly (EntryName & { readonly from: string; readonly to: string })[]
  /** In both, in the same form, with other content. */
  readonly changedContent: readonly EntryName[]
  /** What a prompt cache can reuse. */
  readonly commonPrefix: { readonly tokens: number; readonly pieces: number }
  /** Where the common beginning ends; absent where the two are the same. */
  readonly firstDifference?: FirstDifference
  /** Why the later call begins otherwise, in a sentence; absent until `differenceCause` was asked. */
  readonly why?: string
}

interface EntryName {
  readonly id: string
  readonly slot: Slot
}

/** Where a prompt cache stops helping, and why. */
interface FirstDifference extends EntryName {
  readonly cause: DifferenceCause
}

/** `grew`: the later call continues the earlier one. `shrank`: the later call ends before the earlier one does. */
type DifferenceCause = 'came' | 'went' | 'moved' | 'form' | 'content' | 'grew' | 'shrank'

/** What came, went, moved or changed between two calls, and how much of their beginning is the same. Pure. */
export function compare(before: Compared, after: Compared): Comparison {
  const old = standing(before)
  const now = standing(after)
  const stayed = [...now.values()].filter(({ entry }) => old.has(entryKey(entry)))
  const displaced = outOfOrder(
    stayed.map(({ entry }) => entryKey(entry)),
    new Map([...old.keys()].map((key, index) => [key, index])),
  )
  return {
    came: [...now.values()].filter(({ entry }) => !old.has(entryKey(entry))).map(entryName),
    went: [...old.values()].filter(({ entry }) => !now.has(entryKey(entry))).map(entryName),
    moved: stayed
      .filter(({ entry }) => old.get(entryKey(entry))!.entry.slot !== entry.slot || displaced.has(entryKey(entry)))
      .map((one) => ({ ...entryName(one), from: old.get(entryKey(one.entry))!.entry.slot })),
    changedForm: stayed.flatMap((one) => {
      const from = old.get(entryKey(one.entry))!.entry.form ?? ''
      const to = one.entry.form ?? ''
      return from === to ? [] : [{ ...entryName(one), from, to }]
    }),
    changedContent: stayed
      .filter((one) => {
        const was = old.get(entryKey(one.entry))!
        return was.entry.form === one.entry.form && !sameContent(was, one)
      })
      .map(entryName),
    ...prefix(before, after, old, now),
  }
}

/**
 * The differences as lines for people. `nameOf` gives what stands in the place of an id: of a candidate of the later call, or of
 * the earlier one where it `went`. Turns that follow each other are one line.
 */
export function compareText(
  comparison: Comparison,
  nameOf: (entry: EntryName, call: 'earlier' | 'later') => string = ({ id }) => id,
): string {
  const { came, went, moved, changedForm, changedContent, commonPrefix, firstDifference, why } = comparison
  const at = (entry: EntryName, call: 'earlier' | 'later' = 'later') => `${entry.slot} ${nameOf(entry, call)}`
  const isGone = firstDifference?.cause === 'went' || firstDifference?.cause === 'shrank'
  const lines = [
    `common beginning: ${countedText(commonPrefix.tokens, 'token')}`,
    firstDifference
      ? `first difference: ${at(firstDifference, isGone ? 'earlier' : 'later')} (${causeWords[firstDifference.cause]})`
      : 'no difference: the two requests are the same',
    ...(why === undefined ? [] : [`why: ${why}`]),
    ...foldedTurns(came.map((entry) => `+ ${at(entry)}`)),
    ...foldedTurns(went.map((entry) => `- ${at(entry, 'earlier')}`)),
    ...moved.map((entry) => `> ${at(entry)} (from ${entry.from})`),
    ...changedForm.map((entry) => `~ ${at(entry)} (${entry.from} -> ${entry.to})`),
    ...changedContent.map((entry) => `* ${at(entry)} (content)`),
  ]
  return lines.join('\n')
}

const causeWords: Readonly<Record<DifferenceCause, string>> = {
  came: 'added',
  went: 'removed',
  moved: 'moved',
  form: 'another form',
  content: 'other content',
  grew: 'the later call goes on from here',
  shrank: 'the later call ends here',
}

/** `+ history turn 3` and its followers as `+ history turns 3 to 9`. */
function foldedTurns(lines: readonly string[]): readonly string[] {
  const ranges: { readonly start: string; readonly first: number; last: number; readonly lines: string[] }[] = []
  for (const line of lines) {
    const [, start = line, number] = /^(.* )turn (\d+)$/.exec(line) ?? []
    const before = ranges.at(-1)
    if (before && number !== undefined && before.start === start && before.last + 1 === Number(number)) {
      before.last += 1
      before.lines.push(line)
    } else ranges.push({ start, first: Number(number), last: Number(number), lines: [line] })
  }
  return ranges.flatMap((range) =>
    range.lines.length < 3 ? range.lines : [`${range.start}turns ${range.first} to ${range.last}`],
  )
}

interface Standing {
  readonly entry: ManifestEntry
  readonly contents: readonly unknown[] | undefined
}

/** The entries that are part of a request, by key, in reading order. */
function standing({ manifest, pieces }: Compared): ReadonlyMap<string, Standing> {
  const contents = new Map<number, unknown[]>()
  for (const { entry, content } of (pieces ?? []).flatMap(saidBy)) {
    const own = contents.get(entry)
    if (own) own.push(content)
    else contents.set(entry, [content])
  }
  return new Map(
    manifest.entries.flatMap((entry, index) => {
      if (entry.outcome === 'omitted') return []
      return [[entryKey(entry), { entry, contents: pieces ? (contents.get(index) ?? []) : undefined }] as const]
    }),
  )
}

/** The content of each entry in a piece, wherever it is placed: a layer is a text in the system message and a message elsewhere. */
function saidBy({ entry, content, joined }: Piece): readonly { readonly entry: number; readonly content: unknown }[] {
  if (joined) return joined.map(({ entry: one, text }) => ({ entry: one, content: text }))
  const isText = typeof content === 'object' && 'role' in content && content.role === 'user'
  return [{ entry, content: isText ? content.content : content }]
}

/** A layer and a tool, or a turn, may have the same id. */
function entryKey({ layer, id }: ManifestEntry): string {
  return `${layer} ${id}`
}

function entryName({ entry }: Standing): EntryName {
  return { id: entry.id, slot: entry.slot }
}

function sameContent(before: Standing, after: Standing): boolean {
  if (before.entry.digest && after.entry.digest) return before.entry.digest === after.entry.digest
  if (before.contents && after.contents) return same(before.contents, after.contents)
  return before.entry.tokens === after.entry.tokens && before.entry.fullTokens === after.entry.fullTokens
}

function same(before: unknown, after: unknown): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after)
}

/** The keys that have to move for the rest to keep its order: all but a longest rising run of old positions. */
function outOfOrder(keys: readonly string[], oldPosition: ReadonlyMap<string, number>): ReadonlySet<string> {
  const tails: number[] = []
  const previous: number[] = []
  const positions = keys.map((key) => oldPosition.get(key)!)
  for (const [index, position] of positions.entries()) {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (positions[tails[middle]!]! < position) low = middle + 1
      else high = middle
    }
    previous[index] = low > 0 ? tails[low - 1]! : -1
    tails[low] = index
  }
  const kept = new Set<number>()
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index]!) kept.add(index)
  return new Set(keys.filter((_, index) => !kept.has(index)))
}

function prefix(
  before: Compared,
  after: Compared,
  old: ReadonlyMap<string, Standing>,
  now: ReadonlyMap<string, Standing>,
) {
  const earlier = sentUnits(before)
  const later = sentUnits(after)
  let pieces = 0
  let tokens = 0
  while (pieces < earlier.length && pieces < later.length && earlier[pieces]!.same(later[pieces]!)) {
    tokens += later[pieces]!.tokens
    pieces += 1
  }
  const commonPrefix = { tokens, pieces }
  const gone = earlier[pieces]?.entry
  const here = later[pieces]?.entry
  if (!gone && !here) return { commonPrefix }
  const cause = findCause(gone, here, old, now)
  const { id, slot } = (cause === 'went' || !here ? gone : here)!
  return { commonPrefix, firstDifference: { id, slot, cause } }
}

function findCause(
  gone: ManifestEntry | undefined,
  here: ManifestEntry | undefined,
  old: ReadonlyMap<string, Standing>,
  now: ReadonlyMap<string, Standing>,
): DifferenceCause {
  if (!gone) return 'grew'
  if (!here) return 'shrank'
  if (entryKey(gone) === entryKey(here)) return gone.form === here.form ? 'content' : 'form'
  if (!now.has(entryKey(gone))) return 'went'
  if (!old.has(entryKey(here))) return 'came'
  return 'moved'
}

interface Unit {
  readonly entry: ManifestEntry
  readonly tokens: number
  readonly content: unknown
  same(other: Unit): boolean
}

/** The pieces of a request, or its entries where the pieces are not at hand. */
function sentUnits({ manifest, pieces }: Compared): readonly Unit[] {
  if (pieces) {
    return pieces.map(({ entry: index, tokens, content }) => {
      const entry = manifest.entries[index]!
      return { entry, tokens, content, same: (other) => same(content, other.content) }
    })
  }
  return manifest.entries
    .filter((entry) => entry.outcome !== 'omitted')
    .map((entry) => {
      const content = entry.digest ?? [entry.id, entry.form, entry.tokens, entry.fullTokens]
      return { entry, tokens: entry.tokens, content, same: (other) => same(content, other.content) }
    })
}
