import { type Price, promptCostParts, type ReportedTokens } from './call-cost.ts'
import type { Forecast } from './forecast.ts'
import { type Manifest, type Slot, slots } from './manifest.ts'

/**
 * The figures of one call, as every surface shows them: in the tokens of its provider as far as they are known. Where all
 * parts are known, `total` = `cached` + `written` + `fresh`. What was not reported is absent, never 0.
 */
export interface CallFigures {
  /** `reported`: by the provider. `forecast`: expected before the call. `counted`: by our counter alone. */
  readonly basis: 'reported' | 'forecast' | 'counted'
  /** The prompt, tokens. */
  readonly total: number
  /** Read from the provider's cache, tokens: cheaper, and the same words for the model. */
  readonly cached?: number
  /** Written to it for the next call, tokens. */
  readonly written?: number
  /** Neither, tokens. */
  readonly fresh?: number
  /** US dollars: of the prompt of a call that is not made, of prompt and answer of one that was. Absent where not known. */
  readonly money?: number
  /** What of that each part costs. */
  readonly parts?: Pick<Forecast, 'cached' | 'written' | 'fresh'> & { readonly output?: number }
  /** Tokens at the beginning that the call before had, byte for byte, whether or not a cache still has them. */
  readonly same?: number
  /** The window of the model, tokens. */
  readonly window: number
}

/** The account of a call, with what the runtime added to it. */
export interface FiguredManifest extends Pick<Manifest, 'used' | 'budget'> {
  readonly forecast?: Forecast
  readonly reuse?: { readonly tokens: number }
}

export interface MadeCall {
  readonly usage?: Partial<ReportedTokens> | undefined
  /** US dollars; `parts` where they are asked for. */
  readonly paid?: { readonly money: number; readonly parts?: CallFigures['parts'] | undefined } | undefined
}

/** The figures of a call that was made, or, with the price of its model alone, of one that is not. */
export function callFigures(
  manifest: FiguredManifest,
  known: MadeCall | { readonly price: Price | undefined },
): CallFigures {
  const { used, budget, forecast, reuse } = manifest
  const { window } = budget
  const made = 'price' in known ? undefined : known
  const size =
    reportedSize(made?.usage) ?? (forecast ? forecastSize(forecast) : { basis: 'counted' as const, total: used })
  const same = reuse && { same: Math.min(size.total, calibratedTokens(reuse.tokens, size.total, used)) }
  if ('price' in known) {
    const parts = known.price && forecast && promptCostParts(forecast, known.price)
    return {
      ...size,
      ...(forecast?.money !== undefined && { money: inNanos(forecast.money) }),
      ...(parts && { parts }),
      ...same,
      window,
    }
  }
  const { paid } = known
  return {
    ...size,
    ...(paid && { money: inNanos(paid.money), ...(paid.parts && { parts: paid.parts }) }),
    ...same,
    window,
  }
}

/** A billionth of a dollar is the smallest: the same sum is the same number, however it was added up. */
export function inNanos(dollars: number): number {
  return Math.round(dollars * 1e9) / 1e9
}

type Size = Pick<CallFigures, 'basis' | 'total' | 'cached' | 'written' | 'fresh'>

function forecastSize({ cached, written, fresh, cacheUnknown }: Forecast): Size {
  const total = cached + written + fresh
  return { basis: 'forecast', total, ...(!cacheUnknown && { cached, written, fresh }) }
}

function reportedSize({ promptTokens, cachedTokens, cacheWrittenTokens }: Partial<ReportedTokens> = {}):
  | Size
  | undefined {
  if (promptTokens === undefined) return undefined
  if (cachedTokens === undefined) return { basis: 'reported', total: promptTokens }
  // A provider without marks reports no writing: what it did not read from its cache was new.
  const written = cacheWrittenTokens ?? 0
  const fresh = Math.max(0, promptTokens - cachedTokens - written)
  return { basis: 'reported', total: cachedTokens + written + fresh, cached: cachedTokens, written, fresh }
}

/**
 * The account of a call with every size in the tokens of its provider: the entries add up to `total`, and so do the slots. The
 * counts of our counter are divided by their weight. Pure.
 */
export function calibratedManifest<M extends Manifest>(manifest: M, total: number): M {
  const { used, entries, budget } = manifest
  if (used === total || used === 0) return manifest
  const tokens = divideExactly(
    total,
    entries.map((entry) => entry.tokens),
  )
  const calibrated = entries.map((entry, index): Manifest['entries'][number] => {
    const own = tokens[index]!
    const isWhole = entry.fullTokens === entry.tokens
    const { reason } = entry
    return {
      ...entry,
      tokens: own,
      fullTokens: isWhole ? own : calibratedTokens(entry.fullTokens, total, used),
      ...(reason && { reason: { ...reason, ...scaledNumbers(reason, total, used) } }),
    }
  })
  const slotOf = (slot: Slot) => calibrated.reduce((sum, entry) => sum + (entry.slot === slot ? entry.tokens : 0), 0)
  // A margin that makes up for a counter that counts short is part of what the prompt has by the provider's count.
  const room = budget.window - budget.reserve
  const available = Math.min(room, Math.max(budget.available, calibratedTokens(budget.available, total, used)))
  return {
    ...manifest,
    used: total,
    entries: calibrated,
    slots: Object.fromEntries(slots.map((slot) => [slot, slotOf(slot)])),
    budget: { ...budget, available, margin: Math.max(0, room - available) },
  }
}

/** How much of the window of its model a call fills: `8 %`, `1.4 %`, `<0.1 %`. */
export function windowShare({ total, window }: Pick<CallFigures, 'total' | 'window'>): string {
  const percent = window === 0 ? 0 : (total / window) * 100
  if (total > 0 && percent < 0.1) return '<0.1 %'
  return `${percent < 10 ? Math.round(percent * 10) / 10 : Math.round(percent)} %`
}

/** Numbers of a reason that are tokens. */
const SIZES = ['wanted', 'free', 'limit'] as const

function scaledNumbers(reason: Readonly<Record<string, number | string>>, total: number, used: number) {
  return Object.fromEntries(
    SIZES.flatMap((name) => {
      const value = reason[name]
      return typeof value === 'number' ? [[name, calibratedTokens(value, total, used)]] : []
    }),
  )
}

/** Tokens of our counter in those of the provider, by a prompt that has `used` of ours and `total` of theirs. */
export function calibratedTokens(tokens: number, total: number, used: number): number {
  return used === 0 ? tokens : Math.round((tokens * total) / used)
}

/** Divides an integer by weights: each part is an integer, and their sum is the whole. The largest remainders are rounded up. */
export function divideExactly(whole: number, weights: readonly number[]): readonly number[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  if (all <= 0) return weights.map((_, index) => (index === weights.length - 1 ? whole : 0))
  const exact = weights.map((weight) => (whole * weight) / all)
  const parts = exact.map(Math.floor)
  const missing = whole - parts.reduce((sum, part) => sum + part, 0)
  const order = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .toSorted((one, other) => other.remainder - one.remainder || one.index - other.index)
  for (let given = 0; given < missing; given += 1) parts[order[given % order.length]!.index]! += 1
  return parts
}
