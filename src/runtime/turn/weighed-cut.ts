import { type CutWorth, expectedCalls, type PlacedCall } from '../../context.ts'
import type { Model } from '../../model.ts'
import { defined } from '../../platform.ts'
import type { AssemblyContext } from './assembly-context.ts'
import { isCacheOver, lifeSeconds } from '../calls/cache-life.ts'
import type { SessionState } from '../sessions/session-state.ts'

interface WeighedCall {
  readonly context: Pick<AssemblyContext, 'settings' | 'calibration'>
  readonly model: Pick<Model, 'id' | 'facts'>
  readonly state: Pick<SessionState, 'readCall'>
  /** The last calls of the session, oldest first. */
  readonly recent: readonly PlacedCall[]
  readonly now: number
}

/** What a cut that need not be made yet is weighed by; `undefined` where it is not. `available`: for a prompt, tokens. */
export function weighedCut(call: WeighedCall, available: number): (CutWorth & { readonly output: number }) | undefined {
  const { context, model, state, recent } = call
  const { settings, calibration } = context
  const { price, cache, free } = model.facts
  const { readCall } = state
  if (settings.cutWhen !== 'cheaper' || free || price?.cachedInput === undefined) return undefined
  const isOver = isCacheOver(call)
  if (!readCall || (isOver && !price.above)) return undefined
  const { input, cachedInput: read, cacheWrite = input, cacheWriteLonger = cacheWrite, output, above } = price
  const own = recent.filter((each) => each.model === model.id)
  const life = cache ? lifeSeconds(cache, readCall.life, 'history') : SHORT_LIFE
  const { calls, growth } = expectedCalls(own, { available, lifeSeconds: life })
  const cliff = above && {
    tokens: Math.floor((above.tokens * CERTAIN) / calibration.ratio(model.id, settings.counter)),
    read: above.price.cachedInput ?? above.price.input,
    growth: Math.max(1, Math.round(growth)),
  }
  // Where nothing is in the cache, all is sent again anyway.
  const write = isOver ? 0 : Math.max(input, readCall.life === 'all' ? cacheWriteLonger : cacheWrite)
  return { calls, read, write, output, ...defined({ cliff }) }
}

/** A call that is estimated so near to a cliff may be above it. */
const CERTAIN = 0.98

/** A cache of which only the price is known is taken to live so long, seconds: as long as the shortest that is known. */
const SHORT_LIFE = 300
