import type { CacheMark, CacheRules } from '../../model.ts'
import type { SealedPiece } from '../ledger/seal.ts'

type Pieces = readonly SealedPiece[]

/** How many pieces two requests have in common, from the beginning on. */
export function commonPieces(before: Pieces, after: Pieces): number {
  let pieces = 0
  while (pieces < before.length && pieces < after.length && before[pieces]!.content === after[pieces]!.content) {
    pieces += 1
  }
  return pieces
}

/**
 * How many pieces of a request its provider reads from the cache that an earlier one has left. Where requests have marks, these
 * are the pieces up to the last mark that the earlier one had in what both share, and that a mark of the new one reaches.
 */
export function servedPieces(before: Pieces, after: Pieces, rules: CacheRules | undefined): number {
  const common = commonPieces(before, after)
  if (!rules?.marks) return common
  const { marks, lookBack = Infinity } = rules
  const ends = markedEnds(after, marks)
  const reaches = (end: number) => ends.some((mark) => mark >= end && blocksBetween(after, end, mark) < lookBack)
  return Math.max(0, ...markedEnds(before, marks).filter((end) => end <= common && reaches(end)))
}

/** As many marks of a request OpenAI writes beside its own. */
const MOST_ASKED = 3

/** How many pieces there are up to each mark. */
function markedEnds(pieces: Pieces, marks: readonly CacheMark[]): readonly number[] {
  const lastOf = (role: SealedPiece['role']) => pieces.findLastIndex((piece) => piece.role === role) + 1
  const steady = steadyPieces(pieces)
  const settled = pieces.findLastIndex(
    ({ role }, index) =>
      index + 1 < steady && (role === 'assistant' || role === 'tool') && pieces[index + 1]?.role === 'user',
  )
  const asked = pieces.flatMap(({ role }, index) => (role === 'user' || role === 'tool' ? [index + 1] : []))
  const ends: Readonly<Record<CacheMark, readonly number[]>> = {
    tools: [lastOf('tools')],
    system: [lastOf('system')],
    settled: [settled + 1],
    asked: [lastOf('system'), ...asked.filter((end) => end < pieces.length)].slice(-MOST_ASKED),
    steady: [steady],
    newest: [pieces.length],
  }
  return marks.flatMap((mark) => ends[mark])
}

/** How many pieces there are before those at the end that move. */
export function steadyPieces(pieces: Pieces): number {
  return pieces.findLastIndex(({ moves }) => !moves) + 1
}

function blocksBetween(pieces: Pieces, from: number, to: number): number {
  return pieces.slice(from, to).reduce((blocks, piece) => blocks + piece.blocks, 0)
}
