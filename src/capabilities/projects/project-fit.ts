import type { Budget } from '../../context.ts'
import type { FileRow } from '../../session.ts'

/** Whether the files of a project are sent in full, and the numbers that decided (BEHAVIOURS §3.5). */
export interface ProjectFit {
  readonly fits: boolean
  /** Of all texts, by the model-agnostic counter. */
  readonly tokens: number
  /** Tokens that they have to stay below. */
  readonly limit: number
  /** Files that have a text. */
  readonly files: readonly FileRow[]
  /** Spreadsheets: not counted, only listed. */
  readonly tables: readonly FileRow[]
}

/** Share of (window − reserve) that the files of a project have to stay below. */
const SHARE = 0.6

/**
 * The same files and the same model always give the same answer: nothing of the conversation is asked. `most` is the room
 * that everything else leaves, tokens, where that counts too.
 */
export function projectFit(
  rows: readonly FileRow[],
  { window, reserve }: Pick<Budget, 'window' | 'reserve'>,
  most = Infinity,
): ProjectFit {
  const files = rows.filter(({ state }) => state.type === 'ready' && state.reading.kind === 'text')
  const tables = rows.filter(({ state }) => state.type === 'ready' && state.reading.kind === 'table')
  const tokens = files.reduce((sum, row) => sum + tokensOf(row), 0)
  const limit = Math.max(0, Math.min(most, Math.round((window - reserve) * SHARE)))
  return { fits: files.length > 0 && tokens < limit, tokens, limit, files, tables }
}

function tokensOf({ state }: FileRow): number {
  return state.type === 'ready' && state.reading.kind === 'text' ? state.reading.tokens : 0
}
