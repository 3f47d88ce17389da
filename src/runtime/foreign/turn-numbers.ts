import type { Manifest, ManifestEntry } from '../../context.ts'
import type { CallRecord } from '../../session.ts'

const TURN = /^turn-(\d+)/

/** The number of the last turn of an account; 0 where it has none. */
function lastTurn({ entries }: Pick<Manifest, 'entries'>): number {
  return entries.reduce((last, { id }) => Math.max(last, Number(TURN.exec(id)?.[1] ?? 0)), 0)
}

/** How many turns came before those of a body that has the newest part of a conversation alone. */
export function turnsBefore(
  { turn = '', manifest }: Pick<CallRecord, 'manifest' | 'turn'>,
  now: Pick<Manifest, 'entries'>,
  isNewTurn: boolean,
): number {
  const last = Number(TURN.exec(turn)?.[1] ?? lastTurn(manifest))
  return Math.max(0, last + (isNewTurn ? 1 : 0) - Math.max(1, lastTurn(now)))
}

/** The same account with the numbers that its turns have in the whole conversation. */
export function withTurnsBefore<Account extends Pick<Manifest, 'entries'>>(account: Account, before: number): Account {
  if (before === 0) return account
  const entries = account.entries.map((entry): ManifestEntry => {
    const id = laterTurn(entry.id, before)
    return entry.layer === 'turn' ? { ...entry, id, origin: { ...entry.origin, ref: id } } : { ...entry, id }
  })
  return { ...account, entries }
}

export function laterTurn(id: string, before: number): string {
  return id.replace(TURN, (_, number: string) => `turn-${Number(number) + before}`)
}
