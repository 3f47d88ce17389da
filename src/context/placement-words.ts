import { exactMoneyText, numberText } from './entry-words.ts'
import { entryName } from './explain.ts'
import type { Placement } from './layer.ts'
import type { Manifest, ManifestEntry } from './manifest.ts'
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
  const decides = by === 'layout' ? 'The layout decides its place.' : 'The price decides its place.'
  const costs = `${where[here.placement]} costs ${costText(here)} per 100 calls`
  const would = `${where[other.placement]} it would cost ${costText(other)}`
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${costs}; ${would}. ${decides}`
}

/** A sentence for each layer whose place is a choice: outside of the system message, and where its other place is cheaper. Pure. */
export function placementSentences(manifest: Manifest): readonly string[] {
  return manifest.entries.flatMap((entry) => {
    const { slot, places } = entry
    if (!places || (slot === 'system' && placementCost(places.other) >= placementCost(places.here))) return []
    return placementSentence(entry, manifest) ?? []
  })
}

const where: Readonly<Record<Placement, string>> = {
  system: 'in the system message',
  preamble: 'in the preamble',
  'before-input': 'before the message',
  'after-input': 'behind the message',
}

function costText({ full, cached, money }: PlacementPrice): string {
  if (money !== undefined) return exactMoneyText(money)
  return `${numberText(full)} tokens in full and ${cached < 0 ? `${numberText(-cached)} fewer` : numberText(cached)} from the cache`
}
