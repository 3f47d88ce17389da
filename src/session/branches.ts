import type { LogStore, SessionRow, TurnRow } from './log-store.ts'

/** The turns that lead to `leaf`, and it, oldest first; those that were undone are left out. `null`: none. */
export function turnsTo(turns: readonly TurnRow[], leaf: string | null | undefined): readonly TurnRow[] {
  const byTurn = new Map(turns.map((row) => [row.turn, row]))
  const byOrdinal = new Map(turns.map((row) => [row.ordinal, row]))
  const before = ({ ordinal, parent }: TurnRow): TurnRow | undefined =>
    parent === undefined ? byOrdinal.get(ordinal - 1) : byTurn.get(parent ?? '')
  const path: TurnRow[] = []
  for (let next = byTurn.get(leaf ?? ''); next !== undefined; next = before(next)) path.push(next)
  return path.filter(({ state }) => state !== 'undone').toReversed()
}

/** The turns that lead to the head of a session, oldest first. */
export function turnsToHead({ head }: Pick<SessionRow, 'head'>, turns: readonly TurnRow[]): readonly TurnRow[] {
  const newest = turns.reduce<TurnRow | undefined>(
    (last, row) => (last && last.ordinal > row.ordinal ? last : row),
    undefined,
  )
  return turnsTo(turns, head === undefined ? newest?.turn : head)
}

/**
 * Creates a reader of the turns of a session that are not part of its history: the undone ones, and those of other branches.
 * The history is that of the head, or of `answering` where one of these turns belongs to the session.
 */
export function createLeftTurnReader(
  store: Pick<LogStore, 'entries' | 'session' | 'turns'>,
): (session: string, answering?: readonly string[]) => Promise<readonly string[]> {
  const undoneTurns = createUndoneTurnReader(store)

  return async (session, answering = []) => {
    const row = await store.session(session)
    if (row?.head === undefined) return undoneTurns(session)
    const turns = await store.turns(session)
    const answered = turns.find(({ turn }) => answering.includes(turn))
    const path = answered ? turnsTo(turns, answered.turn) : turnsToHead(row, turns)
    const kept = new Set(path.map(({ turn }) => turn))
    return turns.flatMap(({ turn }) => (kept.has(turn) ? [] : [turn]))
  }
}

const MOST = 1_000

/** Creates a reader of the undone turns of sessions, by their ids. It does not read a part of a log twice. */
export function createUndoneTurnReader(
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
