import assert from 'node:assert/strict'
import {
  asked,
  at,
  decided,
  ended,
  input,
  reply,
  running,
  start,
  type StoreCase,
  toolRun,
  whole,
} from './session-store-entries.ts'

/** What the log of entries promises. */
export function logCases(storeCase: StoreCase): void {
  storeCase('entries get a seq without gaps, within their session, in the order they were handed in', async (store) => {
    const first = await store.append('a', [start, input('t1')], at(1))
    await store.append('b', [start], at(2))
    const second = await store.append('a', [running('t1')], at(3))
    assert.deepEqual(first, [
      { ...start, session: 'a', seq: 1, time: at(1) },
      { ...input('t1'), session: 'a', seq: 2, time: at(1) },
    ])
    assert.deepEqual(second, [{ ...running('t1'), session: 'a', seq: 3, time: at(3) }])
    assert.deepEqual(await store.entries('a'), [...first, ...second])
  })

  storeCase('appends that are made at once stand one after the other, each of them whole', async (store) => {
    await store.append('a', [start], at(0))
    const turns = Array.from({ length: 40 }, (_, index) => `t${index}`)
    const appended = await Promise.all(turns.map((turn) => store.append('a', whole(turn), at(1))))
    const log = await store.entries('a')
    assert.deepEqual(log.slice(1), appended.flat())
    assert.deepEqual(
      log.map((entry) => entry.seq),
      log.map((_, index) => index + 1),
    )
  })

  storeCase(
    'whoever watches hears of each entry on disk, in the order of seq, before its writer does',
    async (store) => {
      const heard: string[] = []
      const stop = store.watch((entries) => heard.push(...entries.map(({ session, seq }) => `${session} ${seq}`)))
      await store.append('a', [start], at(1))
      await store.append('b', [start], at(1))
      assert.deepEqual(heard.splice(0), ['a 1', 'b 1'])

      const append = (turn: string, { slowly }: { slowly: boolean }) =>
        slowly
          ? store.transaction([
              { type: 'value', key: turn, value: 1 },
              { type: 'append', session: 'a', bodies: whole(turn), time: at(2) },
            ])
          : store.append('a', whole(turn), at(2))
      const size = whole('t').length
      const behind = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          await append(`t${index}`, { slowly: index % 2 === 0 })
          return heard.length >= (index + 1) * size
        }),
      )
      assert.deepEqual(
        heard.splice(0),
        Array.from({ length: 20 * size }, (_, index) => `a ${index + 2}`),
      )
      assert.ok(behind.every(Boolean))

      await assert.rejects(store.append('a', [reply('unknown')], at(3)), { code: 'not-found' })
      await store.append('a', [], at(3))
      assert.deepEqual(heard, [])
      stop()
      await store.append('a', whole('unheard'), at(3))
      assert.deepEqual(heard, [])
    },
  )

  storeCase('what was accepted is there when the store is opened again', async (store, place) => {
    const appended = await store.append('a', [start, ...whole('t1')], at(1))
    await store.close()
    const again = await place.open()
    assert.deepEqual(await again.entries('a'), appended)
    await again.close()
  })

  storeCase('closing waits for what was handed in', async (store, place) => {
    const appended = store.append('a', [start], at(1))
    await store.close()
    const again = await place.open()
    assert.deepEqual(await again.entries('a'), await appended)
    await again.close()
  })

  storeCase('a closed store says so', async (store) => {
    await store.close()
    await assert.rejects(store.append('a', [start], at(1)), { code: 'closed' })
    await assert.rejects(store.entries('a'), { code: 'closed' })
  })

  storeCase('a session begins with session-start and has one of them', async (store) => {
    await assert.rejects(store.append('a', [input('t1')], at(1)), { code: 'not-found' })
    await store.append('a', [start], at(1))
    await assert.rejects(store.append('a', [start], at(2)), { code: 'conflict' })
    assert.equal((await store.entries('a')).length, 1)
  })

  storeCase('nothing is written of an append that fails, and those beside it are not harmed', async (store) => {
    await store.append('a', [start], at(1))
    const outcomes = await Promise.allSettled([
      store.append('a', [input('t1')], at(2)),
      store.append('a', [input('t2'), reply('unknown')], at(2)),
      store.append('a', [input('t3')], at(2)),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    const log = await store.entries('a')
    assert.deepEqual(
      log.map((entry) => [entry.seq, 'turn' in entry ? entry.turn : '']),
      [
        [1, ''],
        [2, 't1'],
        [3, 't3'],
      ],
    )
    assert.equal(await store.turn('a', 't2'), undefined)
  })

  storeCase('several writes appear together or not at all', async (store) => {
    const append = { type: 'append', session: 'a', bodies: [start], time: at(1) } as const
    const unknown = { type: 'call-outcome', id: 'unknown', outcome: { durationMs: 1 } } as const
    await assert.rejects(store.transaction([append, { type: 'value', key: 'k', value: 1 }, unknown]), {
      code: 'not-found',
    })
    assert.deepEqual([await store.session('a'), await store.value('k')], [undefined, undefined])
    await store.transaction([append, { type: 'value', key: 'k', value: 1 }])
    assert.deepEqual([(await store.entries('a')).length, await store.value('k')], [1, 1])
  })

  storeCase('of two inputs with one key only one is admitted, and it can be found', async (store) => {
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

  storeCase('the same key serves in another session', async (store) => {
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

  storeCase('entries can be read by bounds, types, turn, and the newest of them', async (store) => {
    await store.append('a', [start, input('t1'), input('t2'), running('t1'), reply('t1'), ended('t1')], at(1))
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

  storeCase('what a person was asked and decided is kept, and so is where a long result is', async (store) => {
    const hash = await store.putContent('the whole result')
    const approve = decided('t1', { type: 'approve', scope: 'session' })
    const deny = decided('t1', { type: 'deny', reason: 'not on a Friday' }, 'p2')
    const bodies = [
      start,
      input('t1'),
      running('t1'),
      asked('t1'),
      approve,
      ...toolRun('t1', hash),
      asked('t1', 'p2'),
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

  storeCase('in a settled turn nobody is asked any more, and a decision comes too late', async (store) => {
    await store.append('a', [start, input('t1'), running('t1'), asked('t1'), ended('t1', { type: 'cancelled' })], at(1))
    for (const late of [asked('t1', 'p2'), decided('t1', { type: 'approve', scope: 'once' })]) {
      await assert.rejects(store.append('a', [late], at(2)), { code: 'conflict', message: /has ended \(cancelled\)/ })
    }
    assert.equal((await store.entries('a')).length, 5)
  })

  storeCase('a turn is taken back when it has ended, and once', async (store) => {
    const back = { type: 'head', turn: 't1', head: null } as const
    await store.append('a', [start, input('t1'), running('t1')], at(1))
    await assert.rejects(store.append('a', [back], at(2)), { code: 'conflict', message: /is running/ })
    await store.append('a', [ended('t1', { type: 'cancelled' }), back], at(2))
    await assert.rejects(store.append('a', [back], at(3)), { code: 'conflict', message: /is undone/ })
    assert.deepEqual([(await store.turn('a', 't1'))?.state, (await store.entries('a')).length], ['undone', 5])
  })

  storeCase('every character comes back as it was', async (store) => {
    const text = 'NUL \u0000, lone \ud800, 字, 👩‍🔬, "quoted" \\ \u2028'
    const message = { role: 'user' as const, content: text }
    const tokens = { counter: 'chars@1', full: 1, least: 1 }
    const appended = await store.append('a', [start, { type: 'input', turn: 't1', message, tokens }], at(1))
    assert.deepEqual(await store.entries('a'), appended)
  })
}
