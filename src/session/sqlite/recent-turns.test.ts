import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Entry, EntryBody } from '../entry.ts'
import type { RecentTurns, TurnRow } from '../log-store.ts'
import type { SessionStore } from '../session-store.ts'
import { turnRowAfter } from '../append-plan.ts'
import { openStoreFile } from './open-sqlite-store.ts'

/** What a conversation may do next. `which` chooses among the turns that it can be done to. */
interface Move {
  readonly what: 'admit' | 'start' | 'say' | 'end' | 'withdraw' | 'deliver' | 'undo'
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
      'deliver',
      'undo',
    ),
    which: fc.nat(100),
    tokens: fc.nat(50),
  }),
  { minLength: 5, maxLength: 60 },
)

test('whatever happens in a session, its rows are what its log says, and its past can be read again', async () => {
  await fc.assert(
    fc.asyncProperty(moves, fc.nat(120), async (given, limit) => {
      const store = await openStoreFile({ path: ':memory:' })
      await store.append('a', [{ type: 'session-start' }], time)
      const then: [upTo: number, seen: readonly RecentTurns[]][] = []
      for (const move of given) {
        const body = bodyOf(move, (await store.turns('a')).toReversed())
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
  const store = await openStoreFile({ path: ':memory:' })
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
  const newest = await store.recentTurns('a', { limit: 1 })
  assert.deepEqual([newest.turns.map(({ row }) => row.turn), newest.earlier], [['t5'], { turns: 2, tokens: 20 }])
  await store.close()
})

const time = '2026-01-01T00:00:00.000Z'

/** Turns of a session run in order; a waiting one may be withdrawn before its time. */
function bodyOf({ what, which, tokens }: Move, rows: readonly TurnRow[]): EntryBody | undefined {
  const cost = { counter: 'chars@1', full: tokens, least: Math.ceil(tokens / 3) }
  const running = rows.find((row) => row.state === 'running')?.turn
  const queued = rows.filter((row) => row.state === 'queued').map((row) => row.turn)
  const settled = rows.filter((row) => row.state !== 'queued' && row.state !== 'running').map((row) => row.turn)
  if (what === 'admit') {
    return { type: 'input', turn: `t${rows.length + 1}`, message: { role: 'user', content: '?' }, tokens: cost }
  }
  if (what === 'start') return running || !queued[0] ? undefined : { type: 'turn-start', turn: queued[0] }
  if (what === 'withdraw') return ended(queued[which % queued.length], 'cancelled')
  if (what === 'end') return ended(running, 'completed')
  if (what === 'undo') {
    const live = rows.filter((row) => row.state !== 'undone')
    if (running !== undefined || queued.length > 0 || live.length === 0) return undefined
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
  const inputs = log.filter((entry) => entry.type === 'input')
  let tokensBefore = 0
  return inputs.map(({ turn, seq }, index) => {
    const empty = { session: 'a', turn, ordinal: index + 1, firstSeq: seq, lastSeq: seq, inputTime: time, tokensBefore }
    const entries = log.filter((entry) => 'turn' in entry && entry.turn === turn)
    const row = turnRowAfter({ ...empty, state: 'queued', tokens: 0, leastTokens: 0 }, entries)
    tokensBefore += row.tokens
    return row
  })
}

async function looks(store: SessionStore, limit: number, upTo?: number): Promise<readonly RecentTurns[]> {
  const at = upTo === undefined ? {} : { upTo }
  const ways = [{ limit }, { limit: 0 }, { limit: 10_000 }, { limit, except: 't3' }, { limit: 10_000, notBefore: 't2' }]
  return Promise.all(ways.map((way) => store.recentTurns('a', { ...way, ...at })))
}
