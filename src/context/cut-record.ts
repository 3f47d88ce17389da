import { calibratedTokens } from './call-figures.ts'
import type { CutGain } from './cut-worth.ts'
import { type Price, priceTier } from './call-cost.ts'
import type { Manifest } from './manifest.ts'
import { countedText, numberText } from './entry-words.ts'
import { phrase } from './phrase.ts'

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
  const tokens = (counted: number) => phrase`${numberText(calibratedTokens(counted, total, used))} tokens`
  const what = countedText(turns, 'turn')
  const cost = money === undefined || money <= 0 ? '' : `, ${phrase`${dollarText(money)} more than from a cache`}`
  const price =
    again > 0 ? `${phrase`${tokens(again)} were sent again for it`}${cost}` : phrase`nothing was sent again for it`
  const because = gain ? gainWords(gain) : CAUSES[why]
  const cut = phrase`The cut left ${what} out (${tokens(hidden)}); ${price}.`
  return because ? `${cut} ${phrase`It was made because ${because}.`}` : cut
}

function gainWords({ calls, won, cost, below }: CutGain): string {
  const [win, price] = [dollarText(won), dollarText(cost)]
  return below
    ? phrase`some ${calls} more calls are expected: they win ${win} for ${price} by staying below ${numberText(below)} tokens`
    : phrase`some ${calls} more calls are expected: they win ${win} for ${price}`
}

function dollarText(dollars: number): string {
  return `$${dollars.toPrecision(2)}`
}

const CAUSES: Readonly<Record<CutRecord['why'], string>> = {
  full: '',
  'cache-over': phrase`the cache of the provider was over`,
  'head-changed': phrase`the system message or the tools had changed, which loses the cache anyway`,
  worth: '',
}
