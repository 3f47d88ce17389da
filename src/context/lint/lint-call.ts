import type { Manifest, ManifestEntry, Slot } from '../manifest.ts'

/** A recorded call, as far as the lint looks at it. */
export interface LintCall {
  readonly id: string
  readonly session?: string
  readonly turn?: string
  readonly model: string
  /** Anything that is the same as long as the layout is. */
  readonly layout: string
  /** Prompt tokens. */
  readonly used: number
  /** Tools and layers of the head that went in, in reading order. */
  readonly head: readonly Pick<ManifestEntry, 'id' | 'slot' | 'tokens' | 'digest'>[]
  /** Changes of the head that are announced in its turn, instead of being in the head: layers, and the tokens of each. */
  readonly announced?: readonly { readonly id: string; readonly tokens: number }[]
}

/** Slots that a cache can give again at the next call, before the conversation. */
export const headSlots: ReadonlySet<Slot> = new Set(['tools', 'system', 'preamble'])

export function lintHead({ entries }: Pick<Manifest, 'entries'>): LintCall['head'] {
  return entries
    .filter(({ slot, outcome, tokens }) => headSlots.has(slot) && outcome !== 'omitted' && tokens > 0)
    .map(({ id, slot, tokens, digest }) => ({ id, slot, tokens, ...(digest === undefined ? {} : { digest }) }))
}

export function lintAnnounced(
  { entries }: Pick<Manifest, 'entries'>,
  turn: string | undefined,
): NonNullable<LintCall['announced']> {
  const beginning = `${turn}/head-change/`
  return entries.flatMap(({ id, layer, tokens }) =>
    layer === 'head-change' && id.startsWith(beginning) ? [{ id: id.slice(beginning.length), tokens }] : [],
  )
}

/** Two calls of one session, one after the other, of one model in one layout. */
export interface CallPair {
  readonly before: LintCall
  readonly after: LintCall
}

/** The pairs of calls between which nothing was configured differently. `calls`: oldest first. */
export function callPairs(calls: readonly LintCall[]): readonly CallPair[] {
  const last = new Map<string, LintCall>()
  const pairs: CallPair[] = []
  for (const after of calls) {
    if (after.session === undefined) continue
    const before = last.get(after.session)
    last.set(after.session, after)
    if (before?.model === after.model && before.layout === after.layout) pairs.push({ before, after })
  }
  return pairs
}

/** Tokens from an entry of the head to the end of the prompt. */
export function tokensFrom({ head, used }: LintCall, index: number): number {
  return Math.max(0, used - head.slice(0, index).reduce((sum, { tokens }) => sum + tokens, 0))
}
