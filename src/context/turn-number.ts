import type { Manifest, ManifestEntry } from './manifest.ts'

/**
 * The place of the turn of a candidate in its conversation, counted from 1 as people count: turns that were taken back have no
 * number. `undefined` where the candidate belongs to no turn, or does not say to which. Pure.
 */
export function turnNumber(entry: ManifestEntry, { entries }: Manifest): number | undefined {
  const turn = numberedTurn(entry)
  if (turn === undefined) return undefined
  const place = [...new Set(entries.flatMap((each) => numberedTurn(each) ?? []))].indexOf(turn)
  return place < 0 ? undefined : earlierTurns(entries) + place + 1
}

/** How many turns before all others are one candidate together, because nobody had to read them. */
export function earlierTurns(entries: Manifest['entries']): number {
  const turns = entries.find(({ id, layer }) => layer === 'turn' && id === 'earlier')?.reason?.['turns']
  return typeof turns === 'number' ? turns : 0
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
