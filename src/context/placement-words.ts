import { exactMoneyText, numberText } from './entry-words.ts'
import { entryName } from './explain.ts'
import type { Placement } from './layer.ts'
import type { Manifest, ManifestEntry } from './manifest.ts'
import { phrase } from './phrase.ts'
import { placementCost, type PlacementPrice } from './placement.ts'

/**
 * What a layer costs at its place, and what it would cost at the other: `Custom agent before the message costs $0.42 per 100
 * calls; in the preamble it would cost $0.0420. The layout decides its place.` `undefined` where that is not known. Pure.
 */
export function placementSentence(entry: ManifestEntry, manifest: Manifest): string | undefined {
  const { places } = entry
  if (!places) return undefined
  const { here, other, by } = places
  const name = entryName(entry, manifest)
  const decides = by === 'layout' ? phrase`The layout decides its place.` : phrase`The price decides its place.`
  const capital = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const costs = placeCosts[here.placement](capital, costText(here))
  const would = phrase`${where[other.placement]} it would cost ${costText(other)}`
  return `${costs}; ${would}. ${decides}`
}

/** A sentence for each layer whose place is a choice: outside of the system message, and where its other place is cheaper. Pure. */
export function placementSentences(manifest: Manifest): readonly string[] {
  return manifest.entries.flatMap((entry) => {
    const { slot, places } = entry
    if (!places || (slot === 'system' && placementCost(places.other) >= placementCost(places.here))) return []
    return placementSentence(entry, manifest) ?? []
  })
}

const placeCosts: Readonly<Record<Placement, (name: string, cost: string) => string>> = {
  system: (name, cost) => phrase`${name} in the system message costs ${cost} per 100 calls`,
  preamble: (name, cost) => phrase`${name} in the preamble costs ${cost} per 100 calls`,
  'before-input': (name, cost) => phrase`${name} before the message costs ${cost} per 100 calls`,
  'after-input': (name, cost) => phrase`${name} behind the message costs ${cost} per 100 calls`,
}

const where: Readonly<Record<Placement, string>> = {
  system: phrase`in the system message`,
  preamble: phrase`in the preamble`,
  'before-input': phrase`before the message`,
  'after-input': phrase`behind the message`,
}

function costText({ full, cached, money }: PlacementPrice): string {
  if (money !== undefined) return exactMoneyText(money)
  return cached < 0
    ? phrase`${numberText(full)} tokens in full and ${numberText(-cached)} fewer from the cache`
    : phrase`${numberText(full)} tokens in full and ${numberText(cached)} from the cache`
}
