import { available, cutSums, type ManifestEntry } from '../../context.ts'
import type { ModelFacts } from '../../model.ts'
import { defined } from '../../platform.ts'
import type { SealedManifest } from '../ledger/seal.ts'
import type { CutCall } from './foreign-cuts.ts'

/** The account of what was sent with what a cut of ours left out of it and made smaller, and what the cut costs. */
export function withCut(
  sent: SealedManifest,
  { account, isNew }: Pick<CutCall, 'account' | 'isNew'>,
  facts: ModelFacts | undefined,
): SealedManifest {
  if (!account) return sent
  const { budget, left, shortened, notes } = account
  const byCall = new Map(shortened.map((each) => [each.call, each]))
  const written = sent.entries.filter(({ layer }) => layer === 'note').length
  // Where all notes are one message, it is the newest of them.
  const ids = notes.slice(-Math.max(1, written))
  let note = 0
  const entries = sent.entries.map((entry): ManifestEntry => {
    if (entry.layer === 'note') return { ...entry, form: 'index', id: ids[note++] ?? entry.id }
    const shorter = entry.layer === 'tool-result' ? byCall.get(callIn(entry.id)) : undefined
    if (!shorter) return entry
    const { form, fullTokens, reason } = shorter
    return { ...entry, outcome: 'reduced', form, fullTokens, reason }
  })
  const place = entries.findIndex(({ layer, slot }) => layer === 'note' || slot === 'history' || slot === 'input')
  const at = place < 0 ? entries.length : place
  const manifest = {
    ...sent,
    budget: {
      window: budget.window,
      reserve: budget.reserve,
      margin: budget.margin ?? 0,
      available: available(budget),
    },
    entries: [...entries.slice(0, at), ...left, ...entries.slice(at)],
  }
  const sums = cutSums(manifest)
  if (!isNew || sums.turns === 0) return manifest
  const again = sent.reuse?.again ?? 0
  const price = facts?.price
  const money = price && (again * ((price.cacheWrite ?? price.input) - (price.cachedInput ?? price.input))) / 1_000_000
  return { ...manifest, cutRecord: { why: 'full', ...sums, again, ...defined({ money }) } }
}

/** Entries of results are `turn-N/CALL`, with a number behind where one id comes back. */
function callIn(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}
