import type { Reason } from '../../context.ts'
import type { FileRow } from '../../session.ts'

/** Whether the files of what was chosen are sent in full, and the numbers that decided (BEHAVIOURS §3.5). */
export interface FileFit {
  readonly fits: boolean
  /** Of all texts, by the model-agnostic counter. */
  readonly tokens: number
  /** Absent where no file has a text. */
  readonly reason?: Reason
  /** Files that have a text. */
  readonly files: readonly FileRow[]
  /** Spreadsheets: not counted, only listed. */
  readonly tables: readonly FileRow[]
}

/** Share of (window − reserve) that the files have to stay below. */
const SHARE = 0.6

/**
 * The same files and the same model always give the same answer: nothing of the conversation is asked. `most` is the room
 * that everything else leaves, tokens, where that counts too.
 */
export function fileFit(
  rows: readonly FileRow[],
  { window, reserve }: { readonly window: number; readonly reserve: number },
  most = Infinity,
): FileFit {
  const files = rows.filter(({ state }) => state.type === 'ready' && state.reading.kind === 'text')
  const tables = rows.filter((row) => sheetsOf(row) !== undefined)
  const tokens = files.reduce((sum, row) => sum + tokensOf(row), 0)
  const limit = Math.max(0, Math.min(most, Math.round((window - reserve) * SHARE)))
  if (files.length === 0) return { fits: false, tokens, files, tables }
  const fits = tokens < limit
  const code = fits ? 'project-fits' : 'project-too-large'
  return { fits, tokens, reason: { code, tokens, limit, files: files.length }, files, tables }
}

/** The sheets of a spreadsheet; `undefined` for every other file. */
export function sheetsOf({ state }: FileRow): readonly string[] | undefined {
  return state.type === 'ready' && state.reading.kind === 'table' ? state.reading.sheets : undefined
}

function tokensOf({ state }: FileRow): number {
  return state.type === 'ready' && state.reading.kind === 'text' ? state.reading.tokens : 0
}
