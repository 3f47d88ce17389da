import {
  assemble,
  type Budget,
  ContextOverflowError,
  type ConversationNote,
  type Cut,
  layoutOf,
  type ManifestEntry,
  noteId,
  outputText,
  type TokenCounter,
  toolResults,
  type Turn,
  usualLayout,
} from '../../context.ts'
import { defined } from '../../platform.ts'
import type { ForeignAssembly } from '../foreign-call.ts'
import { type ConversationItem, type GroupedItems, type ItemGroup } from './conversation-items.ts'
import { type GroupResult, groupTurn } from './group-turn.ts'
import { type ConversationFormat } from '../../wire.ts'

/** A request of another program, and how much room it has. */
export interface CutInput {
  readonly format: ConversationFormat
  /** The body as it is written, without an encoding. */
  readonly text: string
  /** The same, parsed. */
  readonly body: unknown
  /** The same, taken apart by `counter`. */
  readonly assembly: ForeignAssembly
  readonly counter: TokenCounter
  readonly budget: Budget
  /** What the last cuts of conversations have left that this one may be. The first that is about it counts. */
  readonly marks: readonly ForeignCut[]
}

/** What a cut leaves behind, so that the next call begins with what this one has sent. Positions count from the end of the head. */
export interface ForeignCut {
  /** Of the core: groups and messages of groups. */
  readonly cut: Cut
  /** The notes that the marks name, with their texts. */
  readonly notes: readonly ConversationNote[]
  /** Words of a person that stay, although what answers them was left out. */
  readonly words: readonly number[]
  /** The conversation up to here is the one that was cut: `digest` is that of its items. */
  readonly until: number
  readonly digest: string
  /** The newest results were made shorter, too: the next call may show more of them. */
  readonly short?: true
}

/** With this every note begins: it is how one is known again. */
export const NOTE_LEAD = '[Foreword left older parts of this conversation out.]'

/** What of a conversation can leave, and what it says to the core. */
export interface CutPlan {
  readonly items: readonly ConversationItem[]
  /** Those that can leave, oldest first; the last is the current one. */
  readonly groups: readonly ItemGroup[]
  readonly turns: readonly Turn[]
  readonly results: ReadonlyMap<string, GroupResult>
  /** Words of a person that stay, by position. */
  readonly words: readonly number[]
  /** Of everything that cannot leave, tokens. */
  readonly fixed: number
  gone(cut: Cut): readonly ItemGroup[]
}

/** Lays a conversation out for the core. */
export function planOf(
  { format, assembly, counter }: CutInput,
  items: readonly ConversationItem[],
  { head, groups, opening }: GroupedItems,
  followed: ForeignCut | undefined,
): CutPlan {
  const last = groups.at(-1)
  const movable = groups.filter((group) => !group.stays || group === last)
  const isApart = (at: number) => last !== undefined && at < last.first
  const words = [...new Set([...(followed?.words ?? []).map((at) => at + head), ...opening.filter(isApart)])].toSorted(
    (one, other) => one - other,
  )
  const results = new Map<string, GroupResult>()
  const turns = movable.map((group) => {
    const made = groupTurn(items, group, { format, without: new Set(words) })
    for (const [key, result] of made.results) results.set(key, result)
    return made.turn
  })
  const inTurns = turns.reduce(
    (sum, { messages }) => sum + messages.reduce((all, { tokens = 0 }) => all + tokens, 0),
    0,
  )
  return {
    items,
    groups: movable,
    turns,
    results,
    words,
    // The line with which a note begins is none of the core's.
    fixed: Math.max(0, assembly.manifest.used - inTurns) + counter.text(`${NOTE_LEAD}\n`),
    gone({ dropBefore, first }) {
      const until = dropBefore === undefined ? 0 : Number(dropBefore.slice('group-'.length))
      const kept = new Set(first)
      return movable.filter(({ id, number }) => number < until && !kept.has(id))
    },
  }
}

export interface CutDecided {
  readonly cut: Cut
  readonly notes: readonly ConversationNote[]
  /** Without those that give way where the room is short even for the current turn. */
  readonly shownNotes: readonly ConversationNote[]
  /** Groups that are not sent, in this call. */
  readonly gone: readonly ItemGroup[]
  readonly shown: ReadonlyMap<string, string>
  readonly entries: readonly ManifestEntry[]
}

/** Asks the core. `undefined`: it cannot be made to fit. */
export function decideCut(
  { counter, budget }: CutInput,
  plan: CutPlan,
  followed: ForeignCut | undefined,
): CutDecided | undefined {
  const current = plan.turns.at(-1)
  if (!current) return undefined
  const { cut: marks, notes: written = [] } = followed ?? {}
  const hidden = new Set(plan.gone(marks ?? {}).map(({ id }) => id))
  const history = plan.turns.slice(0, -1).filter(({ id }) => !hidden.has(id))
  const hiddenTokens = plan.turns.reduce((sum, { id, messages }) => {
    return hidden.has(id) ? sum + messages.reduce((all, { tokens = 0 }) => all + tokens, 0) : sum
  }, 0)
  try {
    const assembly = assemble({
      layout: layoutOf(usualLayout),
      layers: [],
      history,
      current,
      budget: { ...budget, reserve: budget.reserve + plan.fixed },
      counter,
      notes: { written },
      ...defined({ cut: marks, earlier: hidden.size > 0 ? { turns: hidden.size, tokens: hiddenTokens } : undefined }),
    })
    const { cut = {}, entries } = assembly.manifest
    const known = new Map([...written, ...(assembly.note ? [assembly.note] : [])].map((note) => [note.content, note]))
    const notes = (cut.notes ?? []).map(({ content }) => known.get(content)!)
    const results = assembly.request.messages.flatMap(toolResults)
    const omitted = new Set(entries.flatMap(({ id, outcome }) => (outcome === 'omitted' ? [id] : [])))
    const shownNotes = notes.filter((note) => !omitted.has(noteId(note)))
    const gone = plan.groups.filter(({ id }) => hidden.has(id) || omitted.has(id))
    return {
      cut,
      notes,
      shownNotes,
      gone,
      entries,
      shown: new Map(results.map((part) => [part.toolCallId, outputText(part.output)])),
    }
  } catch (error) {
    if (error instanceof ContextOverflowError) return undefined
    throw error
  }
}
