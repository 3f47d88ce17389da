import type { CacheRules } from './cache-rules.ts'
import { type Price, priceTier } from './call-cost.ts'
import { type Placement, placements } from './layer.ts'
import { isHeadPlacement, type LayoutPlacement } from './layout.ts'
import type { Manifest, ManifestEntry } from './manifest.ts'
import { NANO, type PlacementPrice, type PlacementPrices } from './placement.ts'

/** A call, as far as the prices of places depend on it. Without texts, and small enough to keep for the last calls. */
export interface PlacedCall {
  readonly turn: string | undefined
  readonly model: string | undefined
  /** Ms since 1970. */
  readonly at: number
  readonly used: number
  /** Of the slot `history`. */
  readonly history: number
  /** Of the slot `input`. */
  readonly input: number
  readonly layers: readonly PlacedEntry[]
  /** Announced changes of the head, in tokens, by the id of the announcement. */
  readonly announced: Readonly<Record<string, number>>
}

interface PlacedEntry extends Pick<ManifestEntry, 'id' | 'layer' | 'tokens' | 'digest'> {
  readonly placement: Placement
  /** Tokens between it and the end of the history. */
  readonly behind: number
}

/** What the prices of places depend on besides the calls. */
export interface PlacementRules {
  readonly cache?: CacheRules | undefined
  readonly price?: Price | undefined
  /** Whether the head is pinned, so that a change of it is announced behind the history (`freezeHead`). */
  readonly announces: boolean
  readonly placements: Readonly<Record<string, LayoutPlacement>>
}

/** The most calls that the prices are made from. */
export const PLACED_CALLS = 20

/** The facts of a call that the prices of places are made from. Pure. */
export function placedCall(
  { entries, used, slots, model }: Manifest,
  { turn, at }: Pick<PlacedCall, 'turn' | 'at'>,
): PlacedCall {
  let behind = 0
  const layers: PlacedEntry[] = []
  for (const entry of entries.toReversed()) {
    const { id, layer, slot, tokens, digest, outcome } = entry
    const placement = placements.find((each) => each === slot)
    if (placement && outcome !== 'omitted') {
      layers.push({ id, layer, tokens, placement, behind, ...(digest === undefined ? {} : { digest }) })
    }
    if (slot === 'system' || slot === 'preamble' || slot === 'history') behind += tokens
  }
  const announced = entries.flatMap((entry) =>
    entry.layer === 'head-change' ? [[entry.id, entry.tokens] as const] : [],
  )
  return {
    turn,
    model,
    at,
    used,
    history: slots.history,
    input: slots.input,
    layers: layers.toReversed(),
    announced: Object.fromEntries(announced),
  }
}

/**
 * The prices of both places of each layer of the newest of `calls`, by its id: what it would have cost there in the calls
 * before, if it had had its size of now. With no call before, it is taken that each turn has one call and nothing changes. Pure.
 */
export function placementPrices(
  calls: readonly PlacedCall[],
  rules: PlacementRules,
): ReadonlyMap<string, PlacementPrices> {
  const now = calls.at(-1)
  if (!now) return new Map()
  const recent = calls.slice(-PLACED_CALLS - 1)
  const pairs = recent.slice(1).map((after, index) => ({ before: recent[index]!, after }))
  return new Map(
    now.layers.map((entry) => {
      const free = freePlacement(entry, rules)
      // The other place of one of the head is directly before the message, that of one of the tail at the end of the head.
      const other = free ?? (isHeadPlacement(entry.placement) ? 'before-input' : 'preamble')
      const [here, there] = [entry.placement, other].map((placement) => {
        return placementPrice({ entry, placement, pairs, now, rules })
      })
      return [entry.id, { here: here!, other: there!, by: free === undefined ? 'layout' : 'price' }]
    }),
  )
}

/** What a cache loses once if a layer of a call moves: all that follows on its first place, up to the end of the history in `call`. */
export function movePrice(
  id: string,
  { used }: PlacedCall,
  call: PlacedCall,
  rules: Pick<PlacementRules, 'cache' | 'price'>,
): PlacementPrice {
  const entry = call.layers.find((each) => each.id === id)
  const lost = rules.cache ? (entry && isHeadPlacement(entry.placement) ? entry.behind : call.history) : 0
  const price = { placement: 'preamble', full: lost, cached: -lost } as const
  return { ...price, ...withMoney(price, used, rules) }
}

/** The other place of a layer, where the layout leaves its place to the prices. */
function freePlacement(
  { layer, placement }: PlacedEntry,
  { placements: known }: PlacementRules,
): Placement | undefined {
  const place = Object.hasOwn(known, layer) ? known[layer] : undefined
  if (typeof place !== 'object' || !('between' in place) || !place.between.includes(placement)) return undefined
  return place.between.find((each) => each !== placement)
}

const NANO_PER_TOKEN = 1000

interface Pair {
  readonly before: PlacedCall
  readonly after: PlacedCall
}

interface Asked {
  readonly entry: PlacedEntry
  readonly placement: Placement
  readonly pairs: readonly Pair[]
  readonly now: PlacedCall
  readonly rules: PlacementRules
}

interface Cost {
  readonly full: number
  readonly cached: number
}

const HUNDRED = 100

function placementPrice({ entry, placement, pairs, now, rules }: Asked): PlacementPrice {
  const share = displacedShare(entry, now, rules)
  const costs =
    pairs.length === 0
      ? [costAt(entry, placement, { isSent: true, isNewTurn: true, displaced: now.input * share, behind: 0 }, rules)]
      : pairs.map((pair) =>
          isCold(pair, rules)
            ? { full: entry.tokens, cached: 0 }
            : costAt(entry, placement, difference(pair, entry, placement, share), rules),
        )
  const [full, cached] = (['full', 'cached'] as const).map((part) =>
    Math.round((costs.reduce((sum, cost) => sum + cost[part], 0) * HUNDRED) / costs.length),
  )
  const price = { placement, full: full!, cached: cached! }
  return { ...price, ...withMoney(price, now.used, rules) }
}

/** What of the conversation this layer displaces before the message: nothing where a layer does so anyway that cannot move. */
function displacedShare(entry: PlacedEntry, { layers }: PlacedCall, rules: PlacementRules): number {
  const beside = layers.filter(({ id, placement }) => placement === 'before-input' && id !== entry.id)
  if (beside.some((each) => freePlacement(each, rules) === undefined)) return 0
  const tokens = beside.reduce((sum, each) => sum + each.tokens, 0)
  return entry.tokens === 0 ? 0 : entry.tokens / (entry.tokens + tokens)
}

/** Nothing of the call before can be in the cache. */
function isCold({ before, after }: Pair, { cache }: PlacementRules): boolean {
  if (!cache || before.model !== after.model) return true
  return after.used < cache.minimumTokens || after.at - before.at > cache.lifetimeSeconds * 1000
}

interface Difference {
  /** Whether the call has the layer at all. */
  readonly isSent: boolean
  readonly isNewTurn: boolean
  /** What was announced instead, tokens; absent where the layer did not change. */
  readonly changed?: number
  /** What of the call before follows on the layer before the message, tokens. */
  readonly displaced: number
  /** What follows on it in the head and the history, tokens. */
  readonly behind: number
}

function difference({ before, after }: Pair, entry: PlacedEntry, placement: Placement, share: number): Difference {
  const [old, is] = [before, after].map(({ layers }) => layers.find(({ id }) => id === entry.id))
  const announced = Object.entries(after.announced).find(
    ([id]) => !Object.hasOwn(before.announced, id) && id.endsWith(`/head-change/${entry.id}`),
  )
  const isOther =
    old?.digest !== is?.digest && (old === undefined || is === undefined || old.placement === is.placement)
  const changed = announced?.[1] ?? (isOther ? (is?.tokens ?? 0) : undefined)
  return {
    isSent: is !== undefined,
    isNewTurn: before.turn !== after.turn,
    ...(changed === undefined ? {} : { changed }),
    displaced: before.input * share,
    behind: is && is.placement === placement ? is.behind : after.history,
  }
}

/** So many calls read an announcement again, until it is folded into the head. */
const ANNOUNCED_CALLS = 10

/** What the layer costs in one call, and what it makes other parts of the prompt cost. */
function costAt(
  { tokens }: PlacedEntry,
  placement: Placement,
  { isSent, isNewTurn, changed, displaced, behind }: Difference,
  { cache, announces }: PlacementRules,
): Cost {
  if (!isSent && (placement === 'before-input' || placement === 'after-input')) return { full: 0, cached: 0 }
  if (!cache || placement === 'after-input') return { full: tokens, cached: 0 }
  const lost = (moved: number): Cost => ({ full: tokens + moved, cached: -moved })
  if (placement === 'before-input') {
    return isNewTurn || changed !== undefined ? lost(displaced) : { full: 0, cached: tokens }
  }
  if (changed === undefined) return { full: 0, cached: tokens }
  return announces ? { full: changed, cached: tokens + changed * ANNOUNCED_CALLS } : lost(behind)
}

/** Rounded once, to the nano-dollar. */
function withMoney(
  { placement, full, cached }: Omit<PlacementPrice, 'money'>,
  used: number,
  rules: Pick<PlacementRules, 'cache' | 'price'>,
) {
  if (!rules.price) return {}
  const { input, cachedInput = input, cacheWrite = input } = priceTier(rules.price, used)
  // What follows on the last mark is not written to a marked cache.
  const fresh = placement === 'after-input' || !rules.cache ? input : cacheWrite
  return { money: Math.round((full * fresh + cached * cachedInput) * NANO_PER_TOKEN) / NANO }
}
