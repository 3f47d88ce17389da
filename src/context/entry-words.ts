import type { ManifestEntry, Manifest } from './manifest.ts'

/** What a layer is called in a sentence: its name in the layout with blanks, such as `system prompt`. */
export function layerWords({ layer, id }: Pick<ManifestEntry, 'layer' | 'id'>): string {
  const name = layer.replaceAll('-', ' ')
  return id === layer ? name : `${name} ${id}`
}

/** `1,234.5`, in every environment alike, and without the 30 ms that the first format of `Intl` takes. */
export function numberText(value: number): string {
  return String(value).replace(/^-?\d+/, (whole) => whole.replaceAll(/\B(?=(\d{3})+$)/g, ','))
}

/** `1 call`, `1,234 calls`. `many` is the word for all but one, where it does not end in `s` alone. */
export function countedText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`
}

/** A number where there is little room: `950`, `1.3k`, `128k`, `1.2M`. */
export function shortNumberText(value: number): string {
  if (value < 1_000) return String(value)
  if (value < 1_000_000) return `${(value / 1_000).toFixed(value < 10_000 ? 1 : 0)}k`
  return `${(value / 1_000_000).toFixed(1)}M`
}

/** `40%` of 0.4. */
export function percentText(share: number): string {
  return `${Math.round(share * 100)}%`
}

/** US dollars with as many digits as show what they are: `$0.0042`, `$0.41`, `$12.30`, `-$0.41`. */
export function exactMoneyText(dollars: number): string {
  if (dollars < 0) return `-${exactMoneyText(-dollars)}`
  if (dollars === 0) return '$0'
  if (dollars >= 0.1) return `$${dollars.toFixed(2)}`
  if (dollars < 1e-9) return '<$0.000000001'
  // Two digits that say something, however small it is.
  return `$${dollars.toFixed(Math.min(10, Math.max(4, 1 - Math.floor(Math.log10(dollars)))))}`
}

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
