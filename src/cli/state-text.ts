import { exactLine } from '../context.ts'
import type { FileOwner, FileState } from '../session.ts'

/** What is known of a file, in words. */
export function stateText(state: FileState): string {
  if (state.type === 'processing') return 'is being read'
  if (state.type === 'failed') return `failed: ${exactLine(state.reason)}`
  const { reading } = state
  if (reading.kind === 'text') return `text, ${reading.tokens} tokens${reading.indexed ? '' : ', not in the index yet'}`
  if (reading.kind === 'table') return `table: ${reading.sheets.map(exactLine).join(', ')}`
  const { width, height } = reading
  return width === undefined || height === undefined ? 'image' : `image, ${width} × ${height}`
}

/** What a file belongs to, in words. */
export function ownerText({ type, id }: FileOwner): string {
  return type === 'session' && id === 'inbox' ? '(not attached yet)' : `${type} ${id}`
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
