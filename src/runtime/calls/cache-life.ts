import type { PlacedCall } from '../../context.ts'
import type { CacheRules, CallOptions, Model, Price } from '../../model.ts'
import type { CallRecord } from '../../session.ts'
import { defined } from '../../platform.ts'
import type { RecordedOptions } from './call-input.ts'

/** What of a request is asked to be kept for longer: nothing where it is `undefined`. */
export type CacheLife = CallOptions['cacheLife']

/** How long what a call has left in a cache lives, seconds. */
export function lifeSeconds(
  { lifetimeSeconds, longerSeconds = lifetimeSeconds }: CacheRules,
  life: CacheLife,
  part: 'head' | 'history',
): number {
  return life === 'all' || (life === 'head' && part === 'head') ? longerSeconds : lifetimeSeconds
}

/** The rules for what a call has left in a cache `secondsSince` ago: only the marks that live so long count. */
export function rulesAfter(
  cache: CacheRules | undefined,
  life: CacheLife,
  secondsSince: number,
): CacheRules | undefined {
  if (!cache || life === undefined || secondsSince <= cache.lifetimeSeconds) return cache
  const lifetimeSeconds = lifeSeconds(cache, life, 'head')
  const marks = life === 'head' ? cache.marks?.filter((mark) => HEAD_MARKS.has(mark)) : cache.marks
  return { ...cache, lifetimeSeconds, ...defined({ marks }) }
}

const HEAD_MARKS: ReadonlySet<string> = new Set(['tools', 'system'])

export interface CacheLifeQuestion {
  readonly model: string
  readonly cache: CacheRules | undefined
  readonly price: Price | undefined
  /** The last calls of the session, oldest first. */
  readonly recent: readonly PlacedCall[]
  readonly read: { readonly at: number; readonly life?: CacheLife } | undefined
  readonly turn: string
  readonly now: number
}

/** So many pauses that only the longer life outlasts are usual; one alone may be the last. */
const USUAL_GAPS = 2

/**
 * What the next call asks for: the life by which the turns in the last calls of the session would have been cheapest. The calls
 * of one turn ask for the same. What is still in the cache for a short time cannot be kept for longer by reading it, so a longer
 * life begins where nothing is cached any more. Pure.
 */
export function chooseCacheLife(question: CacheLifeQuestion): CacheLife {
  const { model, cache, price, recent, read, turn, now } = question
  if (!cache?.longerSeconds || price?.cacheWriteLonger === undefined) return undefined
  const own = recent.filter((call) => call.model === model)
  const last = own.at(-1)
  if (!last || !read || last.turn === turn) return read?.life
  const gaps = [...turnGaps(own), { seconds: (now - last.at) / 1000, shared: last.used, head: headOf(last), added: 0 }]
  if (gaps.length < USUAL_GAPS) return read.life
  const { lifetimeSeconds, longerSeconds } = cache
  const isUsual =
    gaps.filter(({ seconds }) => seconds > lifetimeSeconds && seconds <= longerSeconds).length >= USUAL_GAPS
  const cheapest = isUsual
    ? LIVES.toSorted((one, other) => costOf(gaps, one, cache, price) - costOf(gaps, other, cache, price))[0]
    : undefined
  const isAlive = now - read.at <= lifeSeconds(cache, read.life, 'history') * 1000
  return isAlive && LIVES.indexOf(cheapest) > LIVES.indexOf(read.life) ? read.life : cheapest
}

/** From the shortest on; where two cost the same, the shorter one is taken. */
const LIVES: readonly CacheLife[] = [undefined, 'head', 'all']

/** From one turn to the next, tokens by our counter. */
interface TurnGap {
  readonly seconds: number
  /** What the first call of the second turn has in common with the turn before, at most. */
  readonly shared: number
  readonly head: number
  readonly added: number
}

function turnGaps(calls: readonly PlacedCall[]): readonly TurnGap[] {
  const firsts = calls.flatMap((call, index) => (index > 0 && calls[index - 1]!.turn !== call.turn ? [index] : []))
  return firsts.map((first, index) => {
    const before = calls[first - 1]!
    const end = calls[(firsts[index + 1] ?? calls.length) - 1]!
    const shared = Math.min(before.used, calls[first]!.used, end.used)
    const seconds = (calls[first]!.at - before.at) / 1000
    return { seconds, shared, head: Math.min(shared, headOf(before)), added: end.used - shared }
  })
}

/** What is neither of the conversation nor of the message: the head, and a few reminders. */
function headOf({ used, history, input }: PlacedCall): number {
  return Math.max(0, used - history - input)
}

function costOf(gaps: readonly TurnGap[], life: CacheLife, cache: CacheRules, price: Price): number {
  const { input, cachedInput = input, cacheWrite = input, cacheWriteLonger = cacheWrite } = price
  const [headWrite, write] = [life ? cacheWriteLonger : cacheWrite, life === 'all' ? cacheWriteLonger : cacheWrite]
  return gaps.reduce((sum, { seconds, shared, head, added }) => {
    const headCost = seconds <= lifeSeconds(cache, life, 'head') ? cachedInput : headWrite
    const restCost = seconds <= lifeSeconds(cache, life, 'history') ? cachedInput : write
    return sum + head * headCost + (shared - head) * restCost + added * write
  }, 0)
}

export function cacheLifeOf({ input }: Pick<CallRecord, 'input'>): CacheLife {
  return (input as { readonly options?: RecordedOptions } | null)?.options?.cacheLife
}

/** Whether nothing of a session is in the cache of the model any more, as far as its rules say. `readCall`: its last call that was read. */
export function isCacheOver({
  state: { readCall },
  model,
  now,
}: {
  readonly state: {
    readonly readCall?: { readonly model: string; readonly at: number; readonly life?: CacheLife } | undefined
  }
  readonly model: Pick<Model, 'id' | 'facts'>
  readonly now: number
}): boolean {
  const { cache } = model.facts
  if (!readCall || readCall.model !== model.id) return readCall !== undefined
  if (!cache) return false
  return now - readCall.at > lifeSeconds(cache, readCall.life, 'history') * 1000
}

/** How long a note can wait before the provider forgets the prompt, ms. `undefined`: forgotten, unknown, or free to read. */
export function restOfCache(
  read: { readonly at: number; readonly life?: CacheLife } | undefined,
  { facts: { cache, free } }: Pick<Model, 'facts'>,
  now: number,
): number | undefined {
  if (!read || !cache || free) return undefined
  const life = lifeSeconds(cache, read.life, 'history') * 1000
  const rest = read.at + life - now
  return rest <= 0 ? undefined : Math.max(0, rest - Math.min(MOST_AHEAD_MS, life * AHEAD))
}

/** How long before the end of a cache a note is written: a share of its life, and the most, ms. */
const AHEAD = 0.2
const MOST_AHEAD_MS = 60_000
