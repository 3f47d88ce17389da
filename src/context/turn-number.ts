import type { Manifest, ManifestEntry } from './manifest.ts'

/**
 * The place of the turn of a candidate in its conversation, counted from 1 as people count: turns that were taken back have no
 * number. `undefined` where the candidate belongs to no turn, or does not say to which. Pure.
 */
export function turnNumber(entry: ManifestEntry, manifest: Manifest): number | undefined {
  const turn = numberedTurn(entry)
  const turns = [...new Set(manifest.entries.map(numberedTurn))].filter((id) => id !== undefined)
  const number = turn === undefined ? 0 : turns.indexOf(turn) + 1
  if (number === 0) return undefined
  return manifest.cut?.first?.[number - 1] === turn ? number : number + earlierTurns(manifest)
}

/** How many turns have no candidate of their own, because nobody had to read them. They are behind the first turns of a cut. */
export function earlierTurns({ entries }: Manifest): number {
  const { reason } = entries.find(({ id, layer }) => layer === 'turn' && id === 'earlier') ?? {}
  return Number(reason?.['turns'] ?? 0)
}

const roles = new Set(['user', 'assistant', 'tool'])

/** The id of the turn that a candidate is, or is a part of; `undefined` where it belongs to none, or to several. Pure. */
export function entryTurn({ id, layer, slot }: ManifestEntry): string | undefined {
  if (slot !== 'history' && slot !== 'input') return undefined
  if (layer === 'turn') return id === 'earlier' ? undefined : id.replace(/\/lead$/, '')
  if (layer === 'unpaired') return id.replace(/\/unpaired-\d+$/, '')
  return roles.has(layer) ? id.replace(/\/\d+$/, '') : undefined
}

function numberedTurn(entry: ManifestEntry): string | undefined {
  return entry.reason?.code === 'undone' ? undefined : entryTurn(entry)
}
