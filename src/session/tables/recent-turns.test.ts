import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Entry, EntryBody } from '../entry.ts'
import type { RecentTurns, TurnRow } from '../log-store.ts'
import type { SessionStore } from '../session-store.ts'
import { turnRowAfter } from '../append-plan.ts'
import { turnsTo, turnsToHead } from '../branches.ts'
import { openStoreFile } from '../sqlite/open-sqlite-store.ts'
import { systemClock } from '../../platform.ts'

/** What a conversation may do next. `which` chooses among the turns that it can be done to. */
interface Move {
  readonly what: 'admit' | 'edit' | 'start' | 'say' | 'end' | 'withdraw' | 'deliver' | 'undo' | 'fork' | 'branch'
  readonly which: number
  readonly tokens: number
}

const moves = fc.array(
  fc.record({
    what: fc.constantFrom<Move['what'][]>(
      'admit',
      'admit',
      'start',
      'say',
      'say',
      'end',
      'withdraw',
      'edit',
      'deliver',
      'undo',
      'fork',
      'branch',
    ),
    which: fc.nat(100),
    tokens: fc.nat(50),
  }),
  { minLength: 5, maxLength: 60 },
)

test('whatever happens in a session, its rows are what its log says, and its past can be read again', async () => {
  await fc.assert(
    fc.asyncProperty(moves, fc.nat(120), async (given, limit) => {
      const store = await openStoreFile({ clock: systemClock, path: ':memory:' })
      await store.append('a', [{ type: 'session-start' }], time)
      const then: [upTo: number, seen: readonly RecentTurns[]][] = []
      for (const move of given) {
        const rows = (await store.turns('a')).toReversed()
        const body = bodyOf(move, rows, turnsToHead((await store.session('a'))!, rows))
        if (!body) continue
        const [entry] = await store.append('a', [body], time)
        then.push([entry!.seq, await looks(store, limit)])
      }
      assert.deepEqual((await store.turns('a')).toReversed(), foldedRows(await store.entries('a')))
      for (const [upTo, seen] of then) assert.deepEqual(await looks(store, limit, upTo), seen)
      await store.close()
    }),
    { numRuns: 60 },
  )
})

test('what was taken back later is still there in the log as it was', async () => {
  const store = await openStoreFile({ clock: systemClock, path: ':memory:' })
  await store.append('a', [{ type: 'session-start' }], time)
  const cost = { counter: 'chars@1', full: 10, least: 4 }
  for (const turn of ['t1', 't2', 't3']) {
    const input = { type: 'input', turn, message: { role: 'user', content: '?' }, tokens: cost } as const
    await store.append('a', [input, { type: 'turn-start', turn }, ended(turn, 'completed')!], time)
  }
  const upTo = (await store.entries('a')).at(-1)!.seq
  const then = await looks(store, 15)
  await store.append('a', [{ type: 'head', turn: 't3', head: 't2' }], time)
  await store.append('a', [{ type: 'head', turn: 't2', head: 't1' }], time)
  assert.deepEqual(await looks(store, 15, upTo), then)
  const { turns, earlier, undone } = await store.recentTurns('a', { limit: 100 })
  assert.deepEqual([turns.map(({ row }) => row.turn), earlier], [['t1'], { turns: 0, tokens: 0 }])
  assert.deepEqual(undone, [
    { turn: 't2', tokens: 10 },
    { turn: 't3', tokens: 10 },
  ])
  for (const turn of ['t4', 't5']) {
    const input = { type: 'input', turn, message: { role: 'user', content: '?' }, tokens: cost } as const
    await store.append('a', [input, { type: 'turn-start', turn }, ended(turn, 'completed')!], time)
  }
  const none = await store.recentTurns('a', { limit: 100, notBefore: 't5', except: 't5' })
  assert.deepEqual(none, { turns: [], earlier: { turns: 2, tokens: 20 }, undone: [] })
  const newest = await store.recentTurns('a', { limit: 1 })
  assert.deepEqual([newest.turns.map(({ row }) => row.turn), newest.earlier], [['t5'], { turns: 2, tokens: 20 }])
  await store.close()
})

const time = '2026-01-01T00:00:00.000Z'

/** Turns of a session run in order; a waiting one may be withdrawn before its time. */
function bodyOf(
  { what, which, tokens }: Move,
  rows: readonly TurnRow[],
  live: readonly TurnRow[],
): EntryBody | undefined {
  const cost = { counter: 'chars@1', full: tokens, least: Math.ceil(tokens / 3) }
  const running = rows.find((row) => row.state === 'running')?.turn
  const queued = rows.filter((row) => row.state === 'queued').map((row) => row.turn)
  const settled = rows.filter((row) => row.state !== 'queued' && row.state !== 'running').map((row) => row.turn)
  if (what === 'admit') {
    return { type: 'input', turn: `t${rows.length + 1}`, message: { role: 'user', content: '?' }, tokens: cost }
  }
  const heads = [null, ...rows.filter((row) => row.state !== 'undone').map((row) => row.turn)]
  const head = heads[which % heads.length]!
  if (what === 'branch') return { type: 'branch', head }
  if (what === 'fork') {
    const turn = `t${rows.length + 1}`
    return { type: 'input', turn, parent: head, message: { role: 'user', content: '?' }, tokens: cost }
  }
  if (what === 'start') return running || !queued[0] ? undefined : { type: 'turn-start', turn: queued[0] }
  if (what === 'withdraw') return ended(queued[which % queued.length], 'cancelled')
  if (what === 'edit') {
    const turn = queued[which % queued.length]
    return turn === undefined
      ? undefined
      : { type: 'edit', turn, message: { role: 'user', content: '!' }, tokens: cost }
  }
  if (what === 'end') return ended(running, 'completed')
  if (what === 'undo') {
    const last = live.at(-1)
    if (running !== undefined || queued.length > 0 || last === undefined) return undefined
    if (rows.some(({ turn }) => turn !== last.turn && turnsTo(rows, turn).includes(last))) return undefined
    return { type: 'head', turn: live.at(-1)!.turn, head: live.at(-2)?.turn ?? null }
  }
  if (what === 'deliver') {
    const turn = settled[which % settled.length]
    return turn === undefined ? undefined : { type: 'delivered', turn, channel: 'web' }
  }
  if (running === undefined) return undefined
  return { type: 'message', turn: running, message: { role: 'assistant', content: '!' }, tokens: cost }
}

function ended(turn: string | undefined, type: 'completed' | 'cancelled'): EntryBody | undefined {
  return turn === undefined ? undefined : { type: 'turn-end', turn, outcome: { type } }
}

/** The rows, worked out from the whole log in the plainest way. */
function foldedRows(log: readonly Entry[]): readonly TurnRow[] {
  const rows: TurnRow[] = []
  let head: TurnRow | undefined
  for (const entry of log) {
    if (entry.type === 'branch') head = rows.find(({ turn }) => turn === entry.head)
    if (entry.type !== 'input') continue
    const { turn, seq, parent } = entry
    const before: TurnRow | undefined = parent === undefined ? head : rows.find((row) => row.turn === parent)
    const tokensBefore = before === undefined ? 0 : before.tokensBefore + before.tokens
    const place = before === rows.at(-1) ? {} : { parent: before?.turn ?? null }
    const numbers = { ordinal: rows.length + 1, firstSeq: seq, lastSeq: seq, inputTime: time, tokensBefore }
    const empty: TurnRow = { session: 'a', turn, ...numbers, state: 'queued', tokens: 0, leastTokens: 0, ...place }
    head = turnRowAfter(
      empty,
      log.filter((other) => 'turn' in other && other.turn === turn),
    )
    rows.push(head)
  }
  return rows
}

async function looks(store: SessionStore, limit: number, upTo?: number): Promise<readonly RecentTurns[]> {
  const at = upTo === undefined ? {} : { upTo }
  const ways = [{ limit }, { limit: 0 }, { limit: 10_000 }, { limit, except: 't3' }, { limit: 10_000, notBefore: 't2' }]
  return Promise.all(ways.map((way) => store.recentTurns('a', { ...way, ...at })))
}
