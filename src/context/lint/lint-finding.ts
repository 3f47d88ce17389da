import { calibratedTokens, inNanos } from '../call-figures.ts'
import type { Price } from '../call-cost.ts'

/** Something in prompts that breaks caches or wastes room. */
export interface LintFinding {
  /** Stays the same in later versions. */
  readonly code: LintCode
  /** `note`: it looks so, and no call shows that it costs anything. */
  readonly severity: 'warning' | 'note'
  readonly where: LintPlace
  /** A sentence. */
  readonly message: string
  /** Absent where nothing is known of it. */
  readonly cost?: LintCost
  /** How to fix it: a sentence. */
  readonly hint: string
}

export type LintCode =
  | 'volatile-text'
  | 'unstable-order'
  | 'changing-layer'
  | 'unused-tool'
  | 'unread-text'
  | 'duplicated-text'

export interface LintPlace {
  /** Id of a layer. */
  readonly layer?: string
  readonly tool?: string
  /** Where its text comes from, such as `context/system_prompt.md`. */
  readonly ref?: string
  /** In the text of the layer, or in `file` where that is known; the first line is 1. */
  readonly line?: number
  /** Absolute path. */
  readonly file?: string
  /** The beginning of what was found. */
  readonly excerpt?: string
}

/** Price of a finding per hundred calls. */
export interface LintCost {
  /** `sent`: tokens that could be left out. `again`: tokens that a cache cannot give because of it. */
  readonly kind: 'sent' | 'again'
  readonly tokens: number
  /** US dollars, to the nano-dollar, where the price of the model is known. */
  readonly money?: number
  /** It costs so much only if it changes at every call. */
  readonly atMost?: true
  /** Of the last 30 days, where they were looked at. */
  readonly monthTokens?: number
}

/** US dollars per million tokens. */
export interface LintRates {
  /** A token of a prompt, cached or not, as it was paid on average. */
  readonly sent: number
  /** What a token costs more because a cache does not have it. */
  readonly again: number
}

/** The rates of a model. Without reports, every token counts as one that no cache had. */
export function lintRates(
  price: Price,
  { cached, written, fresh }: { readonly cached: number; readonly written: number; readonly fresh: number },
): LintRates {
  const { input, cachedInput = input, cacheWrite = input } = price
  const all = cached + written + fresh
  const sent = all === 0 ? input : (cached * cachedInput + written * cacheWrite + fresh * input) / all
  return { sent, again: Math.max(0, (written > fresh ? cacheWrite : input) - cachedInput) }
}

/** Nano-dollars of a dollar. */
const NANO = 1_000_000_000

export function lintCost(kind: LintCost['kind'], tokensPerCall: number, rates: LintRates | undefined): LintCost {
  const tokens = Math.round(tokensPerCall * 100)
  return { kind, tokens, ...(rates ? { money: Math.round(tokens * rates[kind] * 1000) / NANO } : {}) }
}

/** A prompt by both counts: in the tokens of its provider, and in ours. */
interface BothCounts {
  readonly total: number
  readonly used: number
}

/** The finding with its price in the tokens of the provider, by the counts of a prompt, and by those of all prompts of the month. */
export function calibratedFinding(finding: LintFinding, prompt: BothCounts, month: BothCounts = prompt): LintFinding {
  const { cost } = finding
  if (cost === undefined || prompt.used === 0) return finding
  const { money, monthTokens } = cost
  return {
    ...finding,
    cost: {
      ...cost,
      tokens: calibratedTokens(cost.tokens, prompt.total, prompt.used),
      ...(money !== undefined && { money: inNanos((money * prompt.total) / prompt.used) }),
      ...(monthTokens !== undefined && { monthTokens: calibratedTokens(monthTokens, month.total, month.used) }),
    },
  }
}
