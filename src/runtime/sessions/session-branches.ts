import type { Branch } from '../../capability.ts'
import { messageText, wholeCharacter } from '../../context.ts'
import { type LogStore, type TurnRow, turnsTo, turnsToHead, withEdits } from '../../session.ts'

/** Of the first words of a branch, characters. */
const WORDS = 100

/** The branches of a session by their last turns, that of the head first, then the newest. */
export async function sessionBranches(store: LogStore, session: string): Promise<readonly Branch[]> {
  const [row, turns] = await Promise.all([store.session(session), store.turns(session)])
  if (!row) return []
  const head = turnsToHead(row, turns)
  const onHead = new Set(head)
  const paths = lastTurns(turns).map((leaf) => turnsTo(turns, leaf.turn))
  // Where the head is in the middle of branches, it belongs to the newest of those that go on after it.
  const current = paths.find((path) => path.length >= head.length && head.every((one, index) => path[index] === one))
  const ordered = current ? [current, ...paths.filter((path) => path !== current)] : paths
  return Promise.all(
    ordered.map(async (path): Promise<Branch> => {
      const shared = path === current ? path.slice(0, -1) : path.filter((one) => onHead.has(one))
      const first = path[shared.length] ?? path.at(-1)!
      const [input] = withEdits(await store.entries(session, { turn: first.turn, types: ['input', 'edit'] }))
      const words = input?.type === 'input' ? messageText(input.message).replaceAll(/\s+/g, ' ').trim() : ''
      return {
        leaf: path.at(-1)!.turn,
        current: path === current,
        after: shared.at(-1)?.turn ?? null,
        time: first.inputTime,
        words: words.slice(0, wholeCharacter(words, Math.min(words.length, WORDS))),
        turns: path.length,
      }
    }),
  )
}

/** Turns that no other follows, newest first. */
function lastTurns(turns: readonly TurnRow[]): readonly TurnRow[] {
  const followed = new Set<string | undefined>()
  const live = turns.filter(({ state }) => state !== 'undone')
  const byOrdinal = new Map(turns.map((row) => [row.ordinal, row]))
  const byTurn = new Map(turns.map((row) => [row.turn, row]))
  for (const { ordinal, parent } of live) {
    let before = parent === undefined ? byOrdinal.get(ordinal - 1) : byTurn.get(parent ?? '')
    while (before?.state === 'undone') {
      before = before.parent === undefined ? byOrdinal.get(before.ordinal - 1) : byTurn.get(before.parent ?? '')
    }
    followed.add(before?.turn)
  }
  return live.filter(({ turn }) => !followed.has(turn)).toSorted((one, other) => other.ordinal - one.ordinal)
}
