import type { LogStore } from './store/log-store.ts'

/** Sessions that are remembered. */
const MOST = 1_000

/** Names the turns of a session that were taken back. What was read of a log before is not read again. */
export function undoneTurnsOf(
  store: Pick<LogStore, 'entries' | 'session'>,
): (session: string) => Promise<readonly string[]> {
  const known = new Map<string, { readonly upTo: number; readonly turns: readonly string[] }>()

  return async (session) => {
    const upTo = (await store.session(session))?.entries ?? 0
    const last = known.get(session)
    // A session of the same name may have been deleted and imported again, shorter.
    const before = last !== undefined && last.upTo <= upTo ? last : { upTo: 0, turns: [] }
    if (before.upTo === upTo) return before.turns
    const moves = await store.entries(session, { types: ['head'], after: before.upTo })
    const turns = [...before.turns, ...moves.flatMap((entry) => (entry.type === 'head' ? [entry.turn] : []))]
    known.delete(session)
    known.set(session, { upTo, turns })
    if (known.size > MOST) known.delete(known.keys().next().value!)
    return turns
  }
}
