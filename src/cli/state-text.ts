import { countedText, exactLine } from '../context.ts'
import type { FileOwner, FileState } from '../session.ts'

/** The state of a file in words: its text in tokens, its sheets, its size as an image, its length as a recording, or why reading it failed. */
export function stateText(state: FileState): string {
  if (state.type === 'processing') return 'being read'
  if (state.type === 'failed') return `failed: ${exactLine(state.reason)}`
  const { reading } = state
  if (reading.kind === 'text')
    return `text, ${countedText(reading.tokens, 'token')}${reading.indexed ? '' : ', not in the index yet'}`
  if (reading.kind === 'table') return `table: ${reading.sheets.map(exactLine).join(', ')}`
  if (reading.kind === 'audio') return `recording, ${countedText(reading.tokens, 'token')}`
  const { width, height, tokens } = reading
  const size = width === undefined || height === undefined ? '' : `, ${width} × ${height}`
  return `image${size}${tokens === undefined ? '' : `, ${countedText(tokens, 'token')}`}`
}

export function ownerText({ type, id }: FileOwner): string {
  return type === 'session' && id === 'inbox' ? '(not attached yet)' : `${type} ${id}`
}

/** A size in bytes, kB or MB (decimal units). */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
