import assert from 'node:assert/strict'
import {
  approvalRequest,
  at,
  approvalEntry,
  turnEnd,
  input,
  inputAfter,
  reply,
  turnStart,
  start,
  type StoreCase,
  toolRun,
  wholeTurn,
} from './session-store-entries.ts'

/** Cases for the log of entries. */
export function logCases(storeCase: StoreCase): void {
  storeCase('entries get consecutive seq numbers in each session, in the order of the appends', async (store) => {
    const first = await store.append('a', [start, input('t1')], at(1))
    await store.append('b', [start], at(2))
    const second = await store.append('a', [turnStart('t1')], at(3))
    assert.deepEqual(first, [
      { ...start, session: 'a', seq: 1, time: at(1) },
      { ...input('t1'), session: 'a', seq: 2, time: at(1) },
    ])
    assert.deepEqual(second, [{ ...turnStart('t1'), session: 'a', seq: 3, time: at(3) }])
    assert.deepEqual(await store.entries('a'), [...first, ...second])
  })

  storeCase('concurrent appends are written one after another, each of them as a whole', async (store) => {
    await store.append('a', [start], at(0))
    const turns = Array.from({ length: 40 }, (_, index) => `t${index}`)
    const appended = await Promise.all(turns.map((turn) => store.append('a', wholeTurn(turn), at(1))))
    const log = await store.entries('a')
    assert.deepEqual(log.slice(1), appended.flat())
    const seqs = log.map((entry) => entry.seq)
    assert.deepEqual(
      seqs,
      log.map((_, index) => index + 1),
    )
  })

  storeCase(
    'listeners get each entry that is on disk, in the order of seq, before the append resolves',
    async (store) => {
      const received: string[] = []
      const stop = store.watch((entries) => received.push(...entries.map(({ session, seq }) => `${session} ${seq}`)))
      await store.append('a', [start], at(1))
      await store.append('b', [start], at(1))
      assert.deepEqual(received.splice(0), ['a 1', 'b 1'])

      const append = (turn: string, { slowly }: { slowly: boolean }) =>
        slowly
          ? store.transaction([
              { type: 'value', key: turn, value: 1 },
              { type: 'append', session: 'a', bodies: wholeTurn(turn), time: at(2) },
            ])
          : store.append('a', wholeTurn(turn), at(2))
      const size = wholeTurn('t').length
      const behind = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          await append(`t${index}`, { slowly: index % 2 === 0 })
          return received.length >= (index + 1) * size
        }),
      )
      assert.deepEqual(
        received.splice(0),
        Array.from({ length: 20 * size }, (_, index) => `a ${index + 2}`),
      )
      assert.ok(behind.every(Boolean))

      await assert.rejects(store.append('a', [reply('unknown')], at(3)), { code: 'not-found' })
      await store.append('a', [], at(3))
      assert.deepEqual(received, [])
      stop()
      await store.append('a', wholeTurn('unobserved'), at(3))
      assert.deepEqual(received, [])
    },
  )

  storeCase('accepted entries exist after the store was reopened', async (store, reopen) => {
    const appended = await store.append('a', [start, ...wholeTurn('t1')], at(1))
    const again = await reopen()
    assert.deepEqual(await again.entries('a'), appended)
  })

  storeCase('close waits for pending writes', async (store, reopen) => {
    const appended = store.append('a', [start], at(1))
    const again = await reopen()
    assert.deepEqual(await again.entries('a'), await appended)
  })

  storeCase('a closed store rejects calls', async (store) => {
    await store.close()
    await assert.rejects(store.append('a', [start], at(1)), { code: 'closed' })
    await assert.rejects(store.entries('a'), { code: 'closed' })
  })

  storeCase('a session begins with session-start and has only one', async (store) => {
    await assert.rejects(store.append('a', [input('t1')], at(1)), { code: 'not-found' })
    await store.append('a', [start], at(1))
    await assert.rejects(store.append('a', [start], at(2)), { code: 'conflict' })
    assert.equal((await store.entries('a')).length, 1)
  })

  storeCase('a failed append writes nothing and does not affect other appends', async (store) => {
    await store.append('a', [start], at(1))
    const outcomes = await Promise.allSettled([
      store.append('a', [input('t1')], at(2)),
      store.append('a', [input('t2'), reply('unknown')], at(2)),
      store.append('a', [input('t3')], at(2)),
    ])
    const statuses = outcomes.map((outcome) => outcome.status)
    assert.deepEqual(statuses, ['fulfilled', 'rejected', 'fulfilled'])
    const log = await store.entries('a')
    const written = log.map((entry) => `${entry.seq} ${'turn' in entry ? entry.turn : entry.type}`)
    assert.deepEqual(written, ['1 session-start', '2 t1', '3 t3'])
    assert.equal(await store.turn('a', 't2'), undefined)
  })

  storeCase('a transaction writes everything or nothing', async (store) => {
    const append = { type: 'append', session: 'a', bodies: [start], time: at(1) } as const
    const unknown = { type: 'call-outcome', id: 'unknown', outcome: { durationMs: 1 } } as const
    await assert.rejects(store.transaction([append, { type: 'value', key: 'k', value: 1 }, unknown]), {
      code: 'not-found',
    })
    assert.deepEqual([await store.session('a'), await store.value('k')], [undefined, undefined])
    await store.transaction([append, { type: 'value', key: 'k', value: 1 }])
    assert.deepEqual([(await store.entries('a')).length, await store.value('k')], [1, 1])
  })

  storeCase('of two inputs with the same key only one is accepted, and it can be found', async (store) => {
    await store.append('a', [start], at(1))
    const outcomes = await Promise.allSettled([
      store.append('a', [input('t1', 'key')], at(2)),
      store.append('a', [input('t2', 'key')], at(2)),
    ])
    const rejected = outcomes.find((outcome) => outcome.status === 'rejected')
    assert.equal(rejected?.reason.code, 'conflict')
    await assert.rejects(store.append('a', [input('t3', 'key')], at(3)), { code: 'conflict' })
    const [, admitted] = await store.entries('a')
    assert.deepEqual(await store.inputByKey('a', 'key'), admitted)
    assert.equal(await store.inputByKey('a', 'other'), undefined)
    assert.equal((await store.turns('a')).length, 1)
  })

  storeCase('the same key can be used in another session', async (store) => {
    await store.append('a', [start, input('t1', 'key')], at(1))
    await store.append('b', [start, input('t1', 'key')], at(1))
    assert.equal((await store.inputByKey('b', 'key'))?.session, 'b')
  })

  storeCase('one append may not use a key twice', async (store) => {
    await assert.rejects(store.append('a', [start, input('t1', 'key'), input('t2', 'key')], at(1)), {
      code: 'conflict',
    })
    assert.equal(await store.session('a'), undefined)
  })

  storeCase('entries can be read by range, type and turn, or from the newest', async (store) => {
    await store.append('a', [start, input('t1'), input('t2'), turnStart('t1'), reply('t1'), turnEnd('t1')], at(1))
    const seqs = async (options: Parameters<typeof store.entries>[1]) =>
      (await store.entries('a', options)).map((entry) => entry.seq)
    assert.deepEqual(await seqs({ after: 2 }), [3, 4, 5, 6])
    assert.deepEqual(await seqs({ after: 2, upTo: 4 }), [3, 4])
    assert.deepEqual(await seqs({ types: ['input', 'turn-end'] }), [2, 3, 6])
    assert.deepEqual(await seqs({ turn: 't1' }), [2, 4, 5, 6])
    assert.deepEqual(await seqs({ turn: 't1', types: ['message'], upTo: 4 }), [])
    assert.deepEqual(await seqs({ turn: 'unknown' }), [])
    assert.deepEqual(await seqs({ last: 2 }), [5, 6])
    assert.deepEqual(await seqs({ last: 1, types: ['input'] }), [3])
    assert.deepEqual(await seqs({ after: 1, limit: 2 }), [2, 3])
    assert.deepEqual(await store.entries('unknown'), [])
  })

  storeCase('approval requests, decisions and references to long results are stored', async (store) => {
    const hash = await store.putContent('the whole result')
    const approve = approvalEntry('t1', { type: 'approve', scope: 'session' })
    const deny = approvalEntry('t1', { type: 'deny', reason: 'not on a Friday' }, 'p2')
    const bodies = [
      start,
      input('t1'),
      turnStart('t1'),
      approvalRequest('t1'),
      approve,
      ...toolRun('t1', hash),
      approvalRequest('t1', 'p2'),
      deny,
    ]
    const appended = await store.append('a', bodies, at(1))
    assert.deepEqual(
      appended,
      bodies.map((body, index) => ({ ...body, session: 'a', seq: index + 1, time: at(1) })),
    )
    assert.deepEqual(await store.entries('a'), appended)
    assert.deepEqual(await store.entries('a', { types: ['approval'] }), [appended[4], appended[8]])
    assert.deepEqual(await store.entries('a', { types: ['approval-request'], last: 1 }), [appended[7]])
    assert.deepEqual((await store.turn('a', 't1'))?.state, 'running')
  })

  storeCase('an ended turn accepts no approval request and no decision', async (store) => {
    await store.append(
      'a',
      [start, input('t1'), turnStart('t1'), approvalRequest('t1'), turnEnd('t1', { type: 'cancelled' })],
      at(1),
    )
    for (const late of [approvalRequest('t1', 'p2'), approvalEntry('t1', { type: 'approve', scope: 'once' })]) {
      await assert.rejects(store.append('a', [late], at(2)), { code: 'conflict', message: /has ended \(cancelled\)/ })
    }
    assert.equal((await store.entries('a')).length, 5)
  })

  storeCase(
    'a conversation goes on only after a turn that is there, and a turn that is followed stays',
    async (store) => {
      await store.append('a', [start, ...wholeTurn('t1'), ...wholeTurn('t2'), inputAfter('t3', 't1')], at(1))
      await store.append('a', [turnStart('t3'), turnEnd('t3')], at(2))
      await assert.rejects(store.append('a', [inputAfter('t4', 'unknown')], at(3)), { code: 'not-found' })
      await assert.rejects(store.append('a', [{ type: 'branch', head: 'unknown' }], at(3)), { code: 'not-found' })
      const back = (turn: string) => ({ type: 'head', turn, head: null }) as const
      await assert.rejects(store.append('a', [back('t1')], at(3)), { code: 'conflict', message: /is followed by t2/ })
      await store.append('a', [back('t3')], at(3))
      await assert.rejects(store.append('a', [{ type: 'branch', head: 't3' }], at(4)), { code: 'conflict' })
      await assert.rejects(store.append('a', [inputAfter('t4', 't3')], at(4)), { code: 'conflict' })
    },
  )

  storeCase('a turn can be undone once, after it has ended', async (store) => {
    const back = { type: 'head', turn: 't1', head: null } as const
    await store.append('a', [start, input('t1'), turnStart('t1')], at(1))
    await assert.rejects(store.append('a', [back], at(2)), { code: 'conflict', message: /is running/ })
    await store.append('a', [turnEnd('t1', { type: 'cancelled' }), back], at(2))
    await assert.rejects(store.append('a', [back], at(3)), { code: 'conflict', message: /is undone/ })
    assert.deepEqual([(await store.turn('a', 't1'))?.state, (await store.entries('a')).length], ['undone', 5])
  })

  storeCase('every character is stored unchanged', async (store) => {
    const text = 'NUL \u0000, lone \ud800, 字, 👩‍🔬, "quoted" \\ \u2028'
    const message = { role: 'user' as const, content: text }
    const tokens = { counter: 'chars@1', full: 1, least: 1 }
    const appended = await store.append('a', [start, { type: 'input', turn: 't1', message, tokens }], at(1))
    assert.deepEqual(await store.entries('a'), appended)
  })
}
