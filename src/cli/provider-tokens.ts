import { calibratedTokens } from '../context.ts'
import type { GatewayConnection } from '../capability.ts'
import type { FileRow } from '../session.ts'
import { fetchPreview } from './preview.ts'

/**
 * A function from a count of ours to the tokens of the provider, by the next call of a session, or of a new one. Where no call
 * can be prepared, such as without a model, counts stay as they are.
 */
export async function fetchTokenScale(
  connection: GatewayConnection,
  session?: string,
): Promise<(counted: number) => number> {
  const preview = await fetchPreview(connection, session === undefined ? {} : { session }).catch(() => undefined)
  if (preview === undefined) return (counted) => counted
  const { figures, manifest } = preview
  return (counted) => calibratedTokens(counted, figures.total, manifest.used)
}

/** A file with its size as `sized` has it. */
export function sizedFile(row: FileRow, sized: (counted: number) => number): FileRow {
  const { state } = row
  if (state.type !== 'ready' || !('tokens' in state.reading) || state.reading.tokens === undefined) return row
  return { ...row, state: { ...state, reading: { ...state.reading, tokens: sized(state.reading.tokens) } } }
}
