import type { EntryBody } from './entry.ts'
import type { TurnRow } from './store/log-store.ts'

/** The row of a turn after one more of its entries. */
export function afterEntry(row: TurnRow, seq: number, body: EntryBody): TurnRow {
  const moved = { ...row, lastSeq: seq }
  switch (body.type) {
    case 'turn-start':
      return { ...moved, state: 'running' }
    case 'turn-end':
      return { ...moved, state: body.outcome.type }
    case 'head':
      // What is not read costs nothing; the turns behind it are counted as if it were not there.
      return { ...moved, state: 'undone', tokens: 0, leastTokens: 0 }
    case 'input':
    case 'message':
      return { ...moved, tokens: row.tokens + body.tokens.full, leastTokens: row.leastTokens + body.tokens.least }
    default:
      return moved
  }
}

/** The row as it was when the turn had only these entries. */
export function rowOf(row: TurnRow, entries: readonly (EntryBody & { readonly seq: number })[]): TurnRow {
  const fresh: TurnRow = { ...row, lastSeq: row.firstSeq, state: 'queued', tokens: 0, leastTokens: 0 }
  return entries.reduce((before, entry) => afterEntry(before, entry.seq, entry), fresh)
}

export function isSettled(row: TurnRow): boolean {
  return row.state !== 'queued' && row.state !== 'running'
}
