import {
  type AssemblyInput,
  type Manifest,
  PLACED_CALLS,
  type PlacedCall,
  placedCall,
  type PlacementRules,
  placementPrices,
} from '../../context.ts'
import type { Model } from '../../model.ts'
import { importedHeadKey, type SessionStore } from '../../session.ts'

/** Where the places of layers in the last calls of a session are at hand. */
export interface HasPlacements {
  placed?: { readonly call: string; readonly calls: readonly PlacedCall[] } | undefined
}

type Placed = HasPlacements & { readonly session: string; readonly lastCall: { readonly call: string } | undefined }

/** Where the last calls had their layers, oldest first. Imported accounts do not count: their author wrote them. */
export async function readPlacements(
  store: Pick<SessionStore, 'calls' | 'entries' | 'value'>,
  state: Placed | undefined,
): Promise<readonly PlacedCall[]> {
  const call = state?.lastCall?.call
  if (!state || call === undefined) return []
  if (state.placed?.call !== call) state.placed = { call, calls: await placementsIn(store, state.session) }
  return state.placed.calls
}

/** An account with the prices of both places of each of its layers. `placed`: the last calls, and this one behind them. */
export function withPlacementPrices<Account extends Manifest>(
  manifest: Account,
  placed: readonly PlacedCall[],
  rules: PlacementRules,
): Account {
  const prices = placementPrices(placed, rules)
  const entries = manifest.entries.map((entry) => {
    // A tool and a turn may have the id of a layer.
    const isLayer = entry.slot !== 'tools' && entry.slot !== 'history' && entry.slot !== 'input'
    const places = isLayer ? prices.get(entry.id) : undefined
    return places ? { ...entry, places } : entry
  })
  return { ...manifest, entries }
}

/** The rules that the prices of places of a model follow. */
export function placementRules({ facts }: Model, { cut, placements }: AssemblyInput['layout']): PlacementRules {
  return { cache: facts.cache, price: facts.price, announces: cut.lowWater < 1, placements }
}

async function placementsIn(
  store: Pick<SessionStore, 'calls' | 'entries' | 'value'>,
  session: string,
): Promise<readonly PlacedCall[]> {
  const imported = await store.value(importedHeadKey(session))
  const own =
    typeof imported === 'number'
      ? await store.entries(session, { types: ['assembly'], after: imported, last: PLACED_CALLS })
      : undefined
  const ids = own && new Set(own.map((entry) => (entry.type === 'assembly' ? entry.call : '')))
  const calls = await store.calls(session, { last: PLACED_CALLS })
  return calls
    .filter(({ id, kind, requestDigest }) => kind === undefined && requestDigest !== '' && (ids?.has(id) ?? true))
    .map(({ manifest, turn, time }) => placedCall(manifest, { turn, at: Date.parse(time) }))
}
