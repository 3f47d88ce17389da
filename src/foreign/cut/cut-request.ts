import { available, type Budget, type ManifestEntry, noteId, type Reason } from '../../context.ts'
import { defined, fieldsOf, sha256 } from '../../platform.ts'
import {
  type ConversationItem,
  conversationItems,
  conversationFields,
  groupItems,
  type ItemGroup,
} from './conversation-items.ts'
import {
  type CutDecided,
  type CutInput,
  type CutPlan,
  decideCut,
  type ForeignCut,
  NOTE_LEAD,
  planOf,
} from './cut-plan.ts'
import { textOfResult } from './group-turn.ts'
import { cacheReference, keptReference } from '../identify-call.ts'
import { rewriteBody } from './rewrite-body.ts'
import { type ConversationFormat, jsonOf } from '../../wire.ts'

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
      readonly text: string
      readonly marks: ForeignCut
      /** The marks that were followed; absent where there were none, or none about this conversation. */
      readonly followed?: ForeignCut
      /** More was cut than in the call before. */
      readonly isNew: boolean
      readonly account: CutAccount
    }

/**
 * Cuts the conversation in a request of another program as one of our own: results of older rounds become shorter, then older
 * rounds leave, and a note says what they held. While it fits, nothing moves. Pure. Throws where the body cannot be changed.
 */
export function cutRequest(input: CutInput): CutOutcome {
  const { format, body, assembly, budget } = input
  const isKept = keptReference(fieldsOf(body)) !== undefined || cacheReference(fieldsOf(body)) !== undefined
  const items = isKept ? undefined : conversationItems(format, body, assembly)
  if (!items) return { type: 'whole', why: 'kept-elsewhere' }
  const grouped = groupItems(items)
  const followed = input.marks.find(
    (marks) =>
      grouped.head + marks.until <= items.length && digestOf(items, grouped.head, marks.until) === marks.digest,
  )
  const about = defined({ followed })
  if (!followed && assembly.manifest.used <= available(budget)) return { type: 'whole', why: 'fits' }
  const plan = planOf(input, items, grouped, followed)
  const decided = decideCut(input, plan, followed)
  if (!decided) return { type: 'whole', why: 'too-large', ...about }
  const { results, dropped } = changesOf(plan, decided)
  if (dropped.size === 0 && results.size === 0) return { type: 'whole', why: 'fits', ...about }
  const texts = decided.shownNotes.map(({ text }) => `${NOTE_LEAD}\n${text}`)
  const cacheKey = sha256(
    items
      .slice(0, Math.max(1, grouped.head))
      .map(({ digest }) => digest)
      .join(' '),
  ).slice(0, 32)
  const text = rewriteBody(input.text, format, body, { items, dropped, results, notes: texts, cacheKey })
  requirePairs(format, text, { items, dropped, notes: texts.length > 0 })
  const touched = Math.max(-1, ...dropped, ...results.keys())
  const isShort = decided.entries.some(({ reason }) => reason?.code === 'shortage')
  const until = Math.max(touched + 1, ...plan.words.map((at) => at + 1)) - grouped.head
  const marks: ForeignCut = {
    cut: decided.cut,
    notes: decided.notes,
    words: plan.words
      .filter((at) => decided.gone.some(({ first, end }) => at >= first && at < end))
      .map((at) => at - grouped.head),
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

function digestOf(items: readonly ConversationItem[], head: number, until: number): string {
  return sha256(
    items
      .slice(head, head + until)
      .map(({ digest }) => digest)
      .join(' '),
  )
}

function changesOf(
  plan: CutPlan,
  { gone, shown }: CutDecided,
): { readonly dropped: ReadonlySet<number>; readonly results: ReadonlyMap<number, ReadonlyMap<string, string>> } {
  const stay = new Set(plan.words)
  const dropped = new Set<number>()
  for (const { first, end } of gone) {
    for (let at = first; at < end; at += 1) {
      if (!stay.has(at) && plan.items[at]!.side !== 'operator') dropped.add(at)
    }
  }
  const results = new Map<number, Map<string, string>>()
  for (const [key, result] of plan.results) {
    const text = shown.get(key)
    if (dropped.has(result.item) || text === undefined || text === textOfResult(result)) continue
    const own = results.get(result.item) ?? new Map<string, string>()
    results.set(result.item, own.set(result.call, text))
  }
  return { dropped, results }
}

/** No call may lose its result, and no result its call; nothing but what was dropped may be missing. Throws otherwise. */
function requirePairs(
  format: ConversationFormat,
  text: string,
  {
    items,
    dropped,
    notes,
  }: { readonly items: readonly ConversationItem[]; readonly dropped: ReadonlySet<number>; readonly notes: boolean },
): void {
  const parsed = JSON.parse(text) as unknown
  const count = fieldsOf(parsed)[conversationFields[format]]
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
  readonly call: string
  readonly form: string
  readonly fullTokens: number
  readonly reason: Reason
}

function accountOf(
  { budget }: Pick<CutInput, 'budget'>,
  plan: CutPlan,
  { shownNotes, entries, shown, gone: notSent }: CutDecided,
): CutAccount {
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
  const gone = new Set(notSent.map(({ id }) => id))
  const shortened = plan.groups.flatMap((group): readonly ShortenedResult[] => {
    if (gone.has(group.id)) return []
    return [...plan.results].flatMap(([key, result]): readonly ShortenedResult[] => {
      const text = shown.get(key)
      if (result.item < group.first || result.item >= group.end || text === undefined || text === textOfResult(result))
        return []
      const form = /^\[\d+ characters of output cleared\]$/.test(text) ? 'tool-output-cleared' : 'tool-output-excerpt'
      const reason = reasons.get(group.id) ?? { code: 'low-water' }
      return [{ call: result.call, form, fullTokens: result.tokens, reason }]
    })
  })
  return { budget, left, shortened, notes: shownNotes.map(noteId) }
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
