import assert from 'node:assert/strict'
import type { EntryBody, SessionStore } from '../../src/session.ts'
import type { RecentTurnsOptions, RecentTurns } from '../../src/session/log-store.ts'
import {
  at,
  delivery,
  turnEnd,
  input,
  reply,
  turnStart,
  start,
  type StoreCase,
  wholeTurn,
} from './session-store-entries.ts'

/** Cases for rows of turns, and for reading them backwards. */
export function turnCases(storeCase: StoreCase): void {
  storeCase('a turn is queued, then running, then ended, and counts its tokens', async (store) => {
    await store.append('a', [start, input('t1')], at(1))
    const queued = {
      session: 'a',
      turn: 't1',
      ordinal: 1,
      firstSeq: 2,
      lastSeq: 2,
      state: 'queued',
      inputTime: at(1),
      tokens: 10,
      leastTokens: 4,
      tokensBefore: 0,
    }
    assert.deepEqual(await store.turn('a', 't1'), queued)
    await store.append('a', [turnStart('t1')], at(2))
    assert.deepEqual(await store.turn('a', 't1'), { ...queued, state: 'running', lastSeq: 3 })
    await store.append('a', [reply('t1', 30), turnEnd('t1', { type: 'cancelled' })], at(3))
    const settled = { ...queued, state: 'cancelled', lastSeq: 5, tokens: 40, leastTokens: 8 }
    assert.deepEqual(await store.turn('a', 't1'), settled)
    assert.equal(await store.turn('a', 'unknown'), undefined)
  })

  storeCase('queued turns count the tokens before them while earlier turns grow', async (store) => {
    await store.append('a', [start, ...wholeTurn('t1'), input('t2'), turnStart('t2'), input('t3'), input('t4')], at(1))
    await store.append('a', [reply('t2', 100), input('t5')], at(2))
    await store.append('a', [reply('t2', 5), turnEnd('t2')], at(3))
    const before = (await store.turns('a')).map((row) => `${row.turn} ${row.tokensBefore}`)
    assert.deepEqual(before, ['t5 155', 't4 145', 't3 135', 't2 20', 't1 0'])
  })

  storeCase('a turn has one input and one end, and accepts no message afterwards', async (store) => {
    await store.append('a', [start, ...wholeTurn('t1')], at(1))
    for (const late of [input('t1'), turnStart('t1'), reply('t1'), turnEnd('t1', { type: 'cancelled' })]) {
      await assert.rejects(store.append('a', [late], at(2)), { code: 'conflict' })
    }
    await assert.rejects(store.append('a', [turnStart('unknown')], at(2)), { code: 'not-found' })
    await store.append('a', [delivery('t1')], at(2))
    assert.deepEqual((await store.turn('a', 't1'))?.state, 'completed')
  })

  storeCase(
    'a message that waits is edited in its place, and every reader of its turn gets the new one',
    async (store) => {
      const edit = (turn: string, text: string, full: number): EntryBody => ({
        type: 'edit',
        turn,
        message: { role: 'user', content: text },
        tokens: { counter: 'chars@1', full, least: 3 },
      })
      await store.append('a', [start, input('t1'), turnStart('t1'), input('t2'), input('t3')], at(1))
      await store.append('a', [edit('t2', 'once', 50)], at(2))
      await store.append('a', [edit('t2', 'better', 20)], at(3))
      assert.deepEqual(
        (await store.turns('a')).map((row) => [row.turn, row.state, row.tokens, row.tokensBefore]),
        [
          ['t3', 'queued', 10, 30],
          ['t2', 'queued', 20, 10],
          ['t1', 'running', 10, 0],
        ],
      )
      await assert.rejects(store.append('a', [edit('t1', 'late', 1)], at(4)), { code: 'conflict' })
      await store.append('a', [turnEnd('t1'), turnStart('t2'), reply('t2', 5), turnEnd('t2')], at(5))
      await assert.rejects(store.append('a', [edit('t2', 'late', 1)], at(6)), { code: 'conflict' })
      const { turns } = await store.recentTurns('a', { limit: 1_000 })
      assert.deepEqual(
        turns.map(({ row, messages }) => [row.turn, row.tokens, messages.map(({ message }) => message.content)[0]]),
        [
          ['t1', 10, 'question of t1'],
          ['t2', 25, 'better'],
        ],
      )
      await store.append('a', [{ type: 'head', turn: 't2', head: 't1' }], at(7))
      const { undone } = await store.recentTurns('a', { limit: 1_000 })
      assert.deepEqual(undone, [{ turn: 't2', tokens: 25 }])
    },
  )

  storeCase(
    'a message that waits is taken back before others that wait, in a session with branches too',
    async (store) => {
      await store.append('a', [start, ...wholeTurn('t1'), { ...wholeTurn('t2')[0]!, parent: null } as EntryBody], at(1))
      await store.append('a', [turnStart('t2'), input('t3'), input('t4')], at(2))
      const cancelled = turnEnd('t3', { type: 'cancelled' })
      await store.append('a', [cancelled, { type: 'head', turn: 't3', head: 't2' }], at(3))
      await store.append('a', [reply('t2', 5), turnEnd('t2'), turnStart('t4')], at(4))
      const { turns } = await store.recentTurns('a', { limit: 1_000, except: 't4' })
      assert.deepEqual(
        turns.map(({ row }) => row.turn),
        ['t2'],
      )
    },
  )

  storeCase('turns are listed newest first, in pages', async (store) => {
    await store.append('a', [start, ...['t1', 't2', 't3', 't4', 't5'].flatMap(wholeTurn)], at(1))
    const page = async (options?: { limit?: number; before?: number }) =>
      (await store.turns('a', options)).map((row) => row.turn)
    assert.deepEqual(await page(), ['t5', 't4', 't3', 't2', 't1'])
    assert.deepEqual(await page({ limit: 2 }), ['t5', 't4'])
    assert.deepEqual(await page({ limit: 2, before: 4 }), ['t3', 't2'])
  })

  storeCase('a turn follows the head or the turn that it names, and is given with what leads to it', async (store) => {
    const after = (turn: string, parent: string | null) => {
      const [first, ...others] = wholeTurn(turn)
      return [{ ...first!, parent } as EntryBody, ...others]
    }
    const path = async (options: Partial<RecentTurnsOptions> = {}) =>
      turnNames(await store.recentTurns('a', { limit: 1000, ...options }))
    await store.append('a', [start, ...['t1', 't2', 't3'].flatMap(wholeTurn)], at(1))
    assert.equal((await store.session('a'))?.head, undefined)
    await store.append('a', after('t4', 't1'), at(2))
    assert.deepEqual([(await store.session('a'))?.head, await path()], ['t4', ['t1', 't4']])
    await store.append('a', wholeTurn('t5'), at(3))
    await store.append('a', after('t6', null), at(4))
    assert.deepEqual(await path(), ['t6'])
    const upTo = (await store.session('a'))!.entries
    await store.append('a', [{ type: 'branch', head: 't3' }], at(5))
    assert.deepEqual([(await store.session('a'))?.head, await path()], ['t3', ['t1', 't2', 't3']])
    await store.append('a', wholeTurn('t7'), at(6))
    assert.deepEqual(await path(), ['t1', 't2', 't3', 't7'])
    assert.deepEqual(
      [await path({ except: 't5' }), await path({ except: 't6' }), await path({ upTo })],
      [['t1', 't4'], [], ['t6']],
    )
    const parents = (await store.turns('a')).map(({ turn, parent }) => `${turn} ${parent}`)
    const named = ['t7 t3', 't6 null', 't5 undefined', 't4 t1', 't3 undefined', 't2 undefined', 't1 undefined']
    assert.deepEqual(parents, named)
    const last = await store.recentTurns('a', { limit: 0 })
    const first = (await store.turn('a', 't1'))!.tokens
    assert.deepEqual([turnNames(last), last.earlier], [['t7'], { turns: 3, tokens: 3 * first }])
    await store.append('a', [{ type: 'branch', head: null }], at(7))
    assert.deepEqual([(await store.session('a'))?.head, await path()], [null, []])
    await store.append('a', wholeTurn('t8'), at(8))
    assert.deepEqual([(await store.turn('a', 't8'))?.parent, await path()], [null, ['t8']])
  })

  storeCase('unfinished turns are found over all sessions, oldest first', async (store) => {
    await store.append('b', [start, ...wholeTurn('t1'), input('t2'), turnStart('t2')], at(2))
    await store.append('a', [start, input('t1')], at(1))
    await store.append('a', [input('t2')], at(3))
    const found = async () => (await store.unfinishedTurns()).map((row) => `${row.session} ${row.turn} ${row.state}`)
    assert.deepEqual(await found(), ['a t1 queued', 'b t2 running', 'a t2 queued'])
    await store.append('b', [turnEnd('t2', { type: 'failed', code: 'x', message: 'y' })], at(4))
    assert.deepEqual(await found(), ['a t1 queued', 'a t2 queued'])
  })

  storeCase('recent turns are the newest whole ones, up to the one that passes the limit', async (store) => {
    await store.append(
      'a',
      [start, ...['t1', 't2', 't3', 't4'].flatMap(wholeTurn), input('t5'), turnStart('t5')],
      at(1),
    )
    const recent = await store.recentTurns('a', { limit: 15, except: 't5' })
    assert.deepEqual(turnNames(recent), ['t3', 't4'])
    assert.deepEqual(recent.earlier, { turns: 2, tokens: 40 })
    const types = recent.turns[0]?.messages.map((entry) => entry.type)
    assert.deepEqual(types, ['input', 'message'])
    assert.deepEqual(recent.turns[0]?.row, await store.turn('a', 't3'))
    assert.deepEqual(turnNames(await store.recentTurns('a', { limit: 16, except: 't5' })), ['t2', 't3', 't4'])
    assert.deepEqual(turnNames(await store.recentTurns('a', { limit: 0, except: 't5' })), ['t4'])
    assert.deepEqual(turnNames(await store.recentTurns('a', { limit: 1000, notBefore: 't3' })), ['t3', 't4', 't5'])
    assert.deepEqual(turnNames(await store.recentTurns('a', { limit: 1000, notBefore: 'unknown', except: 't2' })), [
      't1',
    ])
    assert.deepEqual(await store.recentTurns('unknown', { limit: 10 }), {
      turns: [],
      earlier: { turns: 0, tokens: 0 },
      undone: [],
    })
  })

  storeCase('turns that the reader knows come without messages, all others with them', async (store) => {
    await store.append('a', [start, ...wholeTurn('t1'), ...wholeTurn('t2'), ...wholeTurn('t3')], at(1))
    const all = await store.recentTurns('a', { limit: 1000 })
    for (const known of [['t1', 't2'], ['t2'], ['t3'], ['t1', 't2', 't3'], ['unknown']]) {
      const recent = await store.recentTurns('a', { limit: 1000, known: (turn) => known.includes(turn) })
      const expected = all.turns.map(({ row, messages }) => ({
        row,
        messages: known.includes(row.turn) ? [] : messages,
      }))
      assert.deepEqual(recent, { turns: expected, earlier: all.earlier, undone: [] }, known.join(', '))
    }
  })

  storeCase('more turns than one page are read without a gap', async (store) => {
    const turns = Array.from({ length: 300 }, (_, index) => `t${index + 1}`)
    await store.append('a', [start, ...turns.flatMap(wholeTurn)], at(1))
    assert.deepEqual(turnNames(await store.recentTurns('a', { limit: 1_000_000 })), turns)
    const recent = await store.recentTurns('a', { limit: 8 * 200 - 1 })
    assert.deepEqual(turnNames(recent), turns.slice(100))
    assert.deepEqual(recent.earlier, { turns: 100, tokens: 2000 })
  })

  storeCase('queued turns, and turns after the current one, are not part of its history', async (store) => {
    await store.append('a', [start, ...wholeTurn('t1'), input('t2'), turnStart('t2'), input('t3'), input('t4')], at(1))
    await store.append('a', [turnEnd('t3', { type: 'cancelled' })], at(2))
    assert.deepEqual(turnNames(await store.recentTurns('a', { limit: 1000, except: 't2' })), ['t1'])
    assert.deepEqual(turnNames(await store.recentTurns('a', { limit: 1000 })), ['t1', 't2', 't3'])
  })

  storeCase('the log can be read as of any seq', async (store) => {
    const steps: readonly (readonly EntryBody[])[] = [
      [start],
      wholeTurn('t1'),
      [input('t2'), turnStart('t2')],
      [input('t3')],
      [reply('t2', 70)],
      [input('t4'), delivery('t1')],
      [turnEnd('t4', { type: 'cancelled' })],
      [reply('t2', 5), turnEnd('t2')],
      [turnStart('t3'), reply('t3', 50)],
      [delivery('t2'), turnEnd('t3')],
      [delivery('t4'), ...wholeTurn('t5')],
    ]
    const then: [upTo: number, seen: readonly RecentTurns[]][] = []
    for (const [index, bodies] of steps.entries()) {
      const entries = await store.append('a', bodies, at(index))
      then.push([entries.at(-1)!.seq, await recentTurnViews(store, {})])
    }
    for (const [upTo, seen] of then) assert.deepEqual(await recentTurnViews(store, { upTo }), seen, `up to ${upTo}`)
  })
}

/** The same turns, read in several ways. */
function recentTurnViews(store: SessionStore, when: Pick<RecentTurnsOptions, 'upTo'>): Promise<readonly RecentTurns[]> {
  const ways: readonly Omit<RecentTurnsOptions, 'upTo'>[] = [
    { limit: 1000 },
    { limit: 0 },
    { limit: 9 },
    { limit: 1000, except: 't2' },
    { limit: 1000, notBefore: 't2' },
  ]
  return Promise.all(ways.map((way) => store.recentTurns('a', { ...way, ...when })))
}

function turnNames({ turns }: RecentTurns): readonly string[] {
  return turns.map(({ row }) => row.turn)
}
