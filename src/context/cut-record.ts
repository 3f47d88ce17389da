import { calibratedTokens } from './call-figures.ts'
import type { CutGain } from './cut-worth.ts'
import { type Price, priceTier } from './call-cost.ts'
import type { Manifest } from './manifest.ts'
import { numberText } from './entry-words.ts'

/** What one cut took out of a conversation, and what that costs. */
export interface CutRecord {
  /**
   * `full`: the next prompt did not fit. `cache-over`: nothing of it was in the provider's cache any more. `head-changed`: the cache
   * was lost to a head that was composed again. `worth`: later calls win more by it than it costs.
   */
  readonly why: 'full' | 'cache-over' | 'head-changed' | 'worth'
  /** Turns, or messages, that were left out. */
  readonly turns: number
  /** What they would cost in full, tokens. */
  readonly hidden: number
  /** How much smaller later prompts are for it, tokens: `hidden` less what stands in its place. */
  readonly saved: number
  /** What the call before had, too, and what is sent again behind the cut, tokens. */
  readonly again: number
  /** What that costs more than from a cache, US dollars; absent where no price is known. */
  readonly money?: number
  /** Of a cut for the sake of later calls: what was weighed. */
  readonly gain?: CutGain
}

/** What the cut of a call left out, from its account alone; turns that an earlier cut left out do not count. */
export function cutSums({ entries }: Manifest): Pick<CutRecord, 'turns' | 'hidden' | 'saved'> {
  const gone = entries.filter(
    ({ slot, outcome, reason }) =>
      slot === 'history' &&
      outcome === 'omitted' &&
      (reason?.['note'] !== undefined || (reason?.['wanted'] !== undefined && reason.code !== 'shortage')),
  )
  const hidden = gone.reduce((sum, { fullTokens }) => sum + fullTokens, 0)
  const note = gone.find(({ reason }) => reason?.['note'] !== undefined)?.reason?.['note']
  const inPlace = entries.find(({ id }) => id === note)?.tokens ?? 0
  const turns = gone.filter(({ layer }) => layer !== 'attachment').length
  return { turns, hidden, saved: Math.max(0, hidden - inPlace) }
}

/** What tokens that are sent again cost more than from a cache, US dollars. `size`: of the prompt, tokens. */
export function againMoney(again: number, size: number, price: Price): number {
  const { input, cachedInput = input, cacheWrite = input } = priceTier(price, size)
  return (again * (cacheWrite - cachedInput)) / 1_000_000
}

/**
 * A cut in one sentence: `The cut left 8 turns out (6,200 tokens); 1,300 tokens were sent again for it.` Its tokens are those of
 * the provider, by a prompt that has `used` of our counter and `total` of theirs.
 */
export function cutSentence(
  { why, turns, hidden, again, money, gain }: CutRecord,
  { total, used }: { readonly total: number; readonly used: number },
): string {
  const tokens = (counted: number) => `${numberText(calibratedTokens(counted, total, used))} tokens`
  const what = turns === 1 ? '1 turn' : `${turns} turns`
  const cost = money === undefined || money <= 0 ? '' : `, $${money.toPrecision(2)} more than from a cache`
  const price = again > 0 ? `${tokens(again)} were sent again for it${cost}` : 'nothing was sent again for it'
  const because = gain ? gainWords(gain) : CAUSES[why]
  return `The cut left ${what} out (${tokens(hidden)}); ${price}.${because && ` It was made because ${because}.`}`
}

function gainWords({ calls, won, cost, below }: CutGain): string {
  const how = below ? ` by staying below ${numberText(below)} tokens` : ''
  return `some ${calls} more calls are expected: they win $${won.toPrecision(2)} for $${cost.toPrecision(2)}${how}`
}

const CAUSES: Readonly<Record<CutRecord['why'], string>> = {
  full: '',
  'cache-over': 'the cache of the provider was over',
  'head-changed': 'the system message or the tools had changed, which loses the cache anyway',
  worth: '',
}
