import type { ManifestEntry } from './manifest.ts'

/** What a layer is called in a sentence: its name in the layout with blanks, such as `system prompt`. */
export function layerWords({ layer, id }: Pick<ManifestEntry, 'layer' | 'id'>): string {
  const name = layer.replaceAll('-', ' ')
  return id === layer ? name : `${name} ${id}`
}

/** `1,234`, in every environment alike. */
export function numberText(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** `40%` of 0.4. */
export function percentText(share: number): string {
  return `${Math.round(share * 100)}%`
}
