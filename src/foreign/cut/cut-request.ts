import {
  assemble,
  type Budget,
  available,
  ContextOverflowError,
  type ConversationNote,
  type Cut,
  layoutOf,
  type ManifestEntry,
  noteId,
  outputText,
  type Reason,
  type TokenCounter,
  toolResults,
  type Turn,
  usualLayout,
} from '../../context.ts'
import { defined, fieldsOf, sha256 } from '../../platform.ts'
import type { ForeignAssembly, ForeignFormat } from '../foreign-call.ts'
import { jsonOf } from '../wire-part.ts'
import { type ConversationItem, conversationItems } from './conversation-items.ts'
import { type GroupResult, groupTurn, resultText } from './group-turn.ts'
import { type GroupedItems, groupItems, type ItemGroup, numberOf } from './item-group.ts'
import { rewriteBody } from './rewrite-body.ts'

/** A request of another program, and how much room it has. */
export interface CutInput {
  readonly format: ForeignFormat
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

/** What became of a request. */
export type CutOutcome =
  | {
      readonly type: 'whole'
      /**
       * `fits`: nothing has to give way. `too-large`: nothing that may leave makes it fit. `kept-elsewhere`: the provider or the
       * caller keeps the conversation in a form that cannot be cut.
       */
      readonly why: 'fits' | 'too-large' | 'kept-elsewhere'
      /** Which of the marks was followed. */
      readonly followed?: ForeignCut
    }
  | {
      readonly type: 'cut'
      /** The body that leaves. */
      readonly text: string
      readonly marks: ForeignCut
      /** The marks that were followed; absent where there were none, or none about this conversation. */
      readonly followed?: ForeignCut
      /** More was cut than in the call before. */
      readonly isNew: boolean
      readonly account: CutAccount
    }

/** What a cut left out and made smaller, for the manifest of what was sent. */
export interface CutAccount {
  readonly budget: Budget
  /** Oldest first. */
  readonly left: readonly ManifestEntry[]
  readonly shortened: readonly ShortenedResult[]
  /** The ids of the notes, in their order. */
  readonly notes: readonly string[]
}

export interface ShortenedResult {
  /** Id of the call that it answers. */
  readonly call: string
  readonly form: string
  readonly fullTokens: number
  readonly reason: Reason
}

/** With this every note begins: it is how one is known again. */
export const NOTE_LEAD = '[Foreword left older parts of this conversation out.]'

/**
 * Cuts the conversation in a request of another program as one of our own: results of older rounds become shorter, then older
 * rounds leave, and a note says what they held. While it fits, nothing moves. Pure. Throws where the body cannot be changed.
 */
export function cutRequest(input: CutInput): CutOutcome {
  const { format, body, assembly, budget } = input
  const items = keepsConversation(body) ? conversationItems(format, body, assembly) : undefined
  if (!items) return { type: 'whole', why: 'kept-elsewhere' }
  const grouped = groupItems(items)
  const followed = input.marks.find((marks) => isAbout(marks, items, grouped))
  const about = defined({ followed })
  if (!followed && assembly.manifest.used <= available(budget)) return { type: 'whole', why: 'fits' }
  const plan = planOf(input, items, grouped, followed)
  const decided = decide(input, plan, followed)
  if (!decided) return { type: 'whole', why: 'too-large', ...about }
  const { results, dropped } = changesOf(plan, decided)
  if (dropped.size === 0 && results.size === 0) return { type: 'whole', why: 'fits', ...about }
  const texts = decided.notes.map(({ text }) => `${NOTE_LEAD}\n${text}`)
  const cacheKey = sha256(
    items
      .slice(0, Math.max(1, grouped.head))
      .map(({ digest }) => digest)
      .join(' '),
  ).slice(0, 32)
  const text = rewriteBody(input.text, format, body, { dropped, results, notes: texts, cacheKey })
  requireWhole(input, text, { items, dropped, notes: texts.length > 0 })
  const touched = Math.max(-1, ...dropped, ...results.keys())
  const isShort = decided.entries.some(({ reason }) => reason?.code === 'shortage')
  const until = Math.max(touched + 1, ...plan.words.map((at) => at + 1)) - grouped.head
  const marks: ForeignCut = {
    cut: decided.cut,
    notes: decided.notes,
    words: plan.words.filter((at) => isIn(plan.gone(decided.cut), at)).map((at) => at - grouped.head),
    until,
    digest: digestOf(items, grouped.head, until),
    ...(isShort ? { short: true } : {}),
  }
  const isSame = followed && !followed.short && !isShort && jsonOf(followed.cut) === jsonOf(decided.cut)
  return {
    type: 'cut',
    text,
    marks: isSame ? followed : marks,
    ...about,
    isNew: !isSame,
    account: accountOf(input, plan, decided),
  }
}

/** A conversation that a provider keeps is there in part alone. */
function keepsConversation(body: unknown): boolean {
  const { previous_response_id: previous, conversation } = fieldsOf(body)
  return (previous === undefined || previous === null) && (conversation === undefined || conversation === null)
}

function isAbout({ until, digest }: ForeignCut, items: readonly ConversationItem[], { head }: GroupedItems): boolean {
  return head + until <= items.length && digestOf(items, head, until) === digest
}

function digestOf(items: readonly ConversationItem[], head: number, until: number): string {
  return sha256(
    items
      .slice(head, head + until)
      .map(({ digest }) => digest)
      .join(' '),
  )
}

interface CutPlan {
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

function planOf(
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
    gone: (cut) => goneBefore(movable, cut),
  }
}

/** The groups that a cut leaves out. */
function goneBefore(groups: readonly ItemGroup[], { dropBefore, first = [] }: Cut): readonly ItemGroup[] {
  if (dropBefore === undefined) return []
  const standing = new Set(first)
  return groups.filter(({ id, number }) => number < numberOf(dropBefore) && !standing.has(id))
}

function isIn(groups: readonly ItemGroup[], at: number): boolean {
  return groups.some(({ first, end }) => at >= first && at < end)
}

interface Decided {
  readonly cut: Cut
  readonly notes: readonly ConversationNote[]
  readonly shown: ReadonlyMap<string, string>
  readonly entries: readonly ManifestEntry[]
}

/** Asks the core. `undefined`: it cannot be made to fit. */
function decide({ counter, budget }: CutInput, plan: CutPlan, followed: ForeignCut | undefined): Decided | undefined {
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
    return { cut, notes, entries, shown: new Map(results.map((part) => [part.toolCallId, outputText(part.output)])) }
  } catch (error) {
    if (error instanceof ContextOverflowError) return undefined
    throw error
  }
}

function changesOf(
  plan: CutPlan,
  { cut, shown }: Decided,
): { readonly dropped: ReadonlySet<number>; readonly results: ReadonlyMap<number, ReadonlyMap<string, string>> } {
  const stay = new Set(plan.words)
  const dropped = new Set<number>()
  for (const { first, end } of plan.gone(cut)) {
    for (let at = first; at < end; at += 1) {
      if (!stay.has(at) && plan.items[at]!.side !== 'operator') dropped.add(at)
    }
  }
  const results = new Map<number, Map<string, string>>()
  for (const [key, result] of plan.results) {
    const text = shown.get(key)
    if (dropped.has(result.item) || text === undefined || text === resultText(result)) continue
    const own = results.get(result.item) ?? new Map<string, string>()
    results.set(result.item, own.set(result.call, text))
  }
  return { dropped, results }
}

/** No call may lose its result, and no result its call; nothing but what was dropped may be missing. */
function requireWhole(
  { format }: CutInput,
  text: string,
  {
    items,
    dropped,
    notes,
  }: { readonly items: readonly ConversationItem[]; readonly dropped: ReadonlySet<number>; readonly notes: boolean },
): void {
  const parsed = JSON.parse(text) as unknown
  const count = fieldsOf(parsed)[format === 'responses' ? 'input' : 'messages']
  const wanted = items.length - dropped.size + Number(notes)
  if (!Array.isArray(count) || count.length !== wanted) throw new Error('the body that was cut has other items')
  const sides = (isKept: boolean) => {
    const calls = new Set<string>()
    for (const [at, { parts }] of items.entries()) {
      if (dropped.has(at) === isKept) continue
      for (const { kind, role, call } of parts)
        if (call !== undefined && (kind === 'call' || role === 'tool')) calls.add(call)
    }
    return calls
  }
  const [kept, gone] = [sides(true), sides(false)]
  const torn = [...kept].filter((call) => gone.has(call))
  if (torn.some((call) => isTorn(items, dropped, call))) throw new Error('a call would lose its result')
}

/** An id that comes back in a conversation is torn only where a pair of it is. */
function isTorn(items: readonly ConversationItem[], dropped: ReadonlySet<number>, id: string): boolean {
  let open: boolean | undefined
  for (const [at, { parts }] of items.entries()) {
    for (const { kind, role, call } of parts) {
      if (call !== id) continue
      if (kind === 'call') open = dropped.has(at)
      else if (role === 'tool' && open !== undefined && open !== dropped.has(at)) return true
    }
  }
  return false
}

function accountOf({ budget }: CutInput, plan: CutPlan, { cut, notes, entries, shown }: Decided): CutAccount {
  const byId = new Map(plan.groups.map((group) => [group.id, group]))
  const reasons = new Map(entries.map((entry) => [entry.id, entry.reason]))
  const left = entries.flatMap((entry): readonly ManifestEntry[] => {
    if (entry.outcome !== 'omitted' || entry.slot !== 'history') return []
    const group = byId.get(entry.id)
    if (!group) return entry.id === 'earlier' ? [entry] : []
    const name = openingWords(plan.items, group)
    const id = `earlier-${group.turn}/${group.id}`
    return [{ ...entry, id, ...defined({ name }), origin: { kind: 'user', ref: id } }]
  })
  const gone = new Set(plan.gone(cut).map(({ id }) => id))
  const shortened = plan.groups.flatMap((group): readonly ShortenedResult[] => {
    if (gone.has(group.id)) return []
    return [...plan.results].flatMap(([key, result]): readonly ShortenedResult[] => {
      const text = shown.get(key)
      if (result.item < group.first || result.item >= group.end || text === undefined || text === resultText(result))
        return []
      const form = /^\[\d+ characters of output cleared\]$/.test(text) ? 'tool-output-cleared' : 'tool-output-excerpt'
      const reason = reasons.get(group.id) ?? { code: 'low-water' }
      return [{ call: result.call, form, fullTokens: result.tokens, reason }]
    })
  })
  return { budget, left, shortened, notes: notes.map(noteId) }
}

const LONGEST_NAME = 60

function openingWords(items: readonly ConversationItem[], { first, end }: ItemGroup): string | undefined {
  const said = items.slice(first, end).find(({ side }) => side === 'person')
  const text = said?.parts
    .find(({ kind }) => kind === 'text')
    ?.text.replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return text ? text.slice(0, LONGEST_NAME).toWellFormed() : undefined
}
