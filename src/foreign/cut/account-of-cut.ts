import { type Budget, type ManifestEntry, noteId, type Reason } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { ConversationItem } from './conversation-items.ts'
import type { CutDecided, CutInput, CutPlan } from './cut-plan.ts'
import { textOfResult } from './group-turn.ts'
import type { ItemGroup } from './item-group.ts'

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

export function accountOf(
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
