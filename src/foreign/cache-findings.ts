import { commonPrefix, type ForeignReuse } from './common-prefix.ts'
import type { ForeignFinding, SessionCall } from './foreign-finding.ts'

/** What kept a cache from being read: a request that began otherwise, or a cache that was no longer there. */
export function cacheFindings(calls: readonly SessionCall[]): readonly ForeignFinding[] {
  const pairs = calls
    .slice(1)
    .map((call, index) => ({ call, reuse: call.reuse ?? commonPrefix(calls[index]!.assembly, call.assembly) }))
  return [...brokenCaches(pairs), ...coldCaches(pairs)]
}

interface CallPair {
  readonly call: SessionCall
  /** Against the call before. */
  readonly reuse: Omit<ForeignReuse, 'pieces'>
}

/** Changes of one kind at one place count together: their first sentence says what it was. */
function brokenCaches(pairs: readonly CallPair[]): readonly ForeignFinding[] {
  const broken = pairs.filter(
    ({ reuse: { firstChange, again } }) => firstChange && firstChange.cause !== 'grew' && again,
  )
  const groups = Map.groupBy(
    broken,
    ({ reuse: { firstChange } }) => `${firstChange!.cause} ${placeKey(firstChange!.id)}`,
  )
  return Array.from(groups.values(), (group) => {
    const { id, why, cause } = group[0]!.reuse.firstChange!
    const tokens = group.reduce((sum, { reuse }) => sum + (reuse.again ?? 0), 0)
    const times = group.length === 1 ? '' : ` This happened in ${group.length} calls.`
    return {
      code: 'broken-cache',
      severity: 'warning',
      where: { entry: id, calls: group.map(({ call }) => call.id) },
      message: `The cache could not be read behind this change: ${why}${times}`,
      cost: { kind: 'again', tokens },
      hint: hints.get(cause) ?? 'Keep what stands before the conversation the same within a session.',
    }
  })
}

/** Turns and calls have other numbers each time. */
function placeKey(id: string): string {
  return id.replace(/^turn-\d+\/?/, '').replaceAll(/\d+/g, '')
}

const hints: ReadonlyMap<string, string> = new Map([
  ['tool-order', 'Offer the tools in the same order in every call.'],
  ['tool-added', 'Connect servers and allow tools before the session begins.'],
  ['tool-removed', 'Connect servers and allow tools before the session begins.'],
  ['clock', 'Put dates and times behind the conversation, or leave them out.'],
  ['model', 'A cache belongs to one model: change it between sessions.'],
  ['compacted', 'This is the price of a compaction: let it happen less often, and at the end of a task.'],
  ['result-changed', 'Old results that are cleared break the cache: clear many at once, and rarely.'],
])

/** The share of a common beginning below which a provider read none of it, for all that matters. */
const COLD = 0.5

/** Calls that begin like the one before, of which their provider found nothing in its cache. */
function coldCaches(pairs: readonly CallPair[]): readonly ForeignFinding[] {
  const cold = pairs.filter(({ call: { answer }, reuse: { tokens } }) => {
    const cached = answer?.usage?.cachedTokens
    return cached !== undefined && tokens > 0 && cached < tokens * COLD
  })
  if (cold.length === 0) return []
  const missed = cold.reduce((sum, { call, reuse }) => sum + reuse.tokens - call.answer!.usage!.cachedTokens!, 0)
  const them = cold.length === 1 ? 'One call begins' : `${cold.length} calls begin`
  return [
    {
      code: 'cold-cache',
      severity: 'note',
      where: { calls: cold.map(({ call }) => call.id) },
      message: `${them} like the one before, and the provider found little of that in its cache.`,
      cost: { kind: 'again', tokens: missed },
      hint: 'The cache was no longer there, or the prompt was below its least size: ask for a longer life, or answer sooner.',
    },
  ]
}
