import { type RecentTurns, type RecentTurnsOptions, type SpokenBody, turnRowAsOf, type TurnRow } from '../session.ts'
import type { StoredLog } from './memory-store-tables.ts'

/** Reads the whole log: a store that has to be quick reads backwards. */
export function recentTurnsOf(
  { entries, turns }: Omit<StoredLog, 'session'>,
  { limit, notBefore, upTo = Number.MAX_SAFE_INTEGER, known, except }: RecentTurnsOptions,
): RecentTurns {
  const read = entries.filter(({ seq }) => seq <= upTo)
  const ofTurn = (turn: string) => read.filter((entry) => 'turn' in entry && entry.turn === turn)
  const answered = turns.find(({ turn }) => turn === except)?.ordinal ?? Number.MAX_SAFE_INTEGER
  const rows = asOf(
    turns.filter(({ firstSeq }) => firstSeq <= upTo).map((row) => turnRowAsOf(row, ofTurn(row.turn))),
  ).filter(({ ordinal }) => ordinal < answered)

  const seen = newestOf(rows, limit, notBefore).filter(({ state }) => state !== 'queued')
  const oldest = seen[0]
  if (oldest === undefined) return { turns: [], earlier: { turns: 0, tokens: 0 }, undone: [] }
  const said = (turn: string) =>
    ofTurn(turn).flatMap((entry): SpokenBody[] => {
      if (entry.type !== 'input' && entry.type !== 'message') return []
      const { session: _session, seq: _seq, time: _time, ...body } = entry
      return [body]
    })
  const before = rows.filter(({ ordinal }) => ordinal < oldest.ordinal)
  return {
    turns: seen
      .filter(({ state }) => state !== 'undone')
      .map((row) => ({ row, said: known?.(row.turn) === true ? [] : said(row.turn) })),
    earlier: {
      turns: before.filter(({ state }) => state !== 'undone').length,
      tokens: oldest.tokensBefore,
    },
    undone: seen
      .filter(({ state }) => state === 'undone')
      .map(({ turn }) => ({ turn, tokens: said(turn).reduce((sum, { tokens }) => sum + tokens.full, 0) })),
  }
}

/** With what stood before each of them at that moment. */
function asOf(rows: readonly TurnRow[]): readonly TurnRow[] {
  let tokensBefore = 0
  return rows.map((row) => {
    const placed = { ...row, tokensBefore }
    tokensBefore += row.tokens
    return placed
  })
}

/** Ascending; with the one that passes the limit. */
function newestOf(rows: readonly TurnRow[], limit: number, notBefore: string | undefined): readonly TurnRow[] {
  let sum = 0
  const last = rows.findLastIndex((row) => {
    if (row.state !== 'queued') sum += row.leastTokens
    return sum > limit || row.turn === notBefore
  })
  return rows.slice(Math.max(0, last))
}
