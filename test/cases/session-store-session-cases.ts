import assert from 'node:assert/strict'
import { at, call, choice, input, start, type StoreCase, wholeTurn } from './session-store-entries.ts'

/** Cases for sessions and their bindings. */
export function sessionCases(storeCase: StoreCase): void {
  storeCase('a session row has the title, times, counts, model and binding', async (store) => {
    await store.append('a', [start, ...wholeTurn('t1')], at(1))
    await store.append('a', [{ type: 'model', model: 'ollama/llama3.2' }], at(2))
    await store.bind({ channel: 'telegram', conversation: '7' }, 'a')
    const row = {
      id: 'a',
      title: 'A talk',
      binding: { channel: 'telegram', conversation: '7' },
      created: at(1),
      updated: at(2),
      turns: 1,
      entries: 6,
      model: 'ollama/llama3.2',
      choices: {},
      opening: 'question of t1',
      folder: undefined,
      pinned: false,
      state: 'done',
    }
    assert.deepEqual(await store.session('a'), row)
    await store.append('a', [{ type: 'model', model: null }], at(3))
    assert.deepEqual(await store.session('a'), { ...row, updated: at(3), entries: 7, model: undefined })
    assert.equal(await store.session('unknown'), undefined)
  })

  storeCase('a session row has the newest value of each choice', async (store) => {
    await store.append('a', [start, choice('agent', 'poet')], at(1))
    await store.append('a', [choice('subject "of" \ud800 字', 'atlas')], at(2))
    const chosen = async () => {
      const [row] = await store.sessions()
      assert.deepEqual((await store.session('a'))?.choices, row?.choices)
      return row?.choices
    }
    assert.deepEqual(await chosen(), { agent: 'poet', 'subject "of" \ud800 字': 'atlas' })
    const others = [choice('agent', 'critic'), choice('subject "of" \ud800 字', null), choice('__proto__', 'reef')]
    await store.append('a', others, at(3))
    assert.deepEqual(Object.entries((await chosen())!).flat(), ['agent', 'critic', '__proto__', 'reef'])
    await store.append('a', [choice('agent', null), choice('__proto__', null), ...wholeTurn('t1')], at(4))
    assert.deepEqual(await chosen(), {})
    const noted = await store.entries('a', { types: ['choice'] })
    const seqs = noted.map((entry) => entry.seq)
    assert.deepEqual(seqs, [2, 3, 4, 5, 6, 7, 8])
    assert.deepEqual(noted[0], { ...choice('agent', 'poet'), session: 'a', seq: 2, time: at(1) })
  })

  storeCase('sessions are listed by their newest activity, in pages', async (store) => {
    await store.append('a', [{ type: 'session-start' }], at(1))
    await store.append('b', [start], at(2))
    await store.append('c', [start], at(3))
    await store.append('a', [input('t1')], at(4))
    const ids = async (options?: Parameters<typeof store.sessions>[0]) =>
      (await store.sessions(options)).map((row) => row.id)
    assert.deepEqual(await ids(), ['a', 'c', 'b'])
    assert.deepEqual(await ids({ limit: 1, offset: 1 }), ['c'])
    const [first, second] = await store.sessions()
    assert.deepEqual(await ids({ after: first! }), ['c', 'b'])
    assert.deepEqual(await ids({ after: first!, limit: 1, offset: 1 }), ['b'])
    assert.deepEqual(await ids({ after: second!, words: 'talk' }), ['b'])
    assert.equal((await store.sessions())[0]?.title, undefined)
  })

  storeCase('sessions are found by a prefix of their id, an exact match first', async (store) => {
    for (const id of ['ab', 'abd', 'b', 'a', 'abc', 'a_%']) await store.append(id, [start], at(1))
    const ids = async (beginning: string, limit = 9) =>
      (await store.sessions({ beginning, limit })).map((row) => row.id)
    assert.deepEqual(await ids('ab'), ['ab', 'abc', 'abd'])
    assert.deepEqual(await ids('ab', 1), ['ab'])
    assert.deepEqual(await ids('abc'), ['abc'])
    assert.deepEqual([await ids('a_'), await ids('a%'), await ids('AB'), await ids('x')], [['a_%'], [], [], []])
  })

  storeCase('deleting a session deletes everything that belongs to it, and nothing else', async (store) => {
    const hash = await store.putContent('shared')
    const binding = { channel: 'web', conversation: '1' }
    for (const id of ['a', 'b']) {
      await store.append(id, [start, ...wholeTurn('t1')], at(1))
      await store.putCall(call(`${id}-call`, { session: id, turn: 't1' }))
    }
    await store.bind(binding, 'a')
    assert.equal(await store.deleteSession('a'), true)
    assert.equal(await store.deleteSession('a'), false)
    assert.deepEqual(
      [await store.session('a'), await store.bound(binding), await store.turn('a', 't1'), await store.call('a-call')],
      [undefined, undefined, undefined, undefined],
    )
    assert.deepEqual([await store.entries('a'), await store.calls('a')], [[], []])
    assert.equal((await store.entries('b')).length, 5)
    assert.equal((await store.call('b-call'))?.id, 'b-call')
    assert.equal(await store.content(hash), 'shared')
    await store.append('a', [start], at(2))
    assert.equal((await store.entries('a')).length, 1)
  })

  storeCase('a conversation has one session, and a session one conversation', async (store) => {
    for (const id of ['a', 'b']) await store.append(id, [start], at(1))
    const [one, two] = [
      { channel: 'web', conversation: '1' },
      { channel: 'web', conversation: '2' },
    ]
    await store.bind(one, 'a')
    await store.bind(one, 'b')
    assert.deepEqual([await store.bound(one), (await store.session('a'))?.binding], ['b', undefined])
    await store.bind(two, 'b')
    assert.deepEqual([await store.bound(one), await store.bound(two)], [undefined, 'b'])
    await store.bind(two, 'b')
    assert.equal(await store.bound(two), 'b')
    await assert.rejects(store.bind(one, 'unknown'), { code: 'not-found' })
  })

  storeCase('the same conversation id in another channel is another conversation', async (store) => {
    for (const id of ['a', 'b']) await store.append(id, [start], at(1))
    await store.bind({ channel: 'web', conversation: '1' }, 'a')
    await store.bind({ channel: 'telegram', conversation: '1' }, 'b')
    assert.equal(await store.bound({ channel: 'web', conversation: '1' }), 'a')
  })
}

/** Cases for the calls of the ledger. */
export function callCases(storeCase: StoreCase): void {
  storeCase('a call is stored unchanged, and its outcome is added', async (store) => {
    await store.append('a', [start], at(1))
    const record = call('c1', { session: 'a', turn: 't1', upTo: 1, input: { text: 'sha256:…', list: [1, null] } })
    await store.putCall(record)
    assert.deepEqual(await store.call('c1'), record)
    const outcome = { durationMs: 12, finish: 'stop', wire: { sha256: 'ab', bytes: 3, url: 'http://127.0.0.1/' } }
    await store.finishCall('c1', outcome)
    assert.deepEqual(await store.call('c1'), { ...record, outcome })
    assert.equal(await store.call('unknown'), undefined)
  })

  storeCase('a call is put once, and only an existing call can be finished', async (store) => {
    await store.putCall(call('c1'))
    await assert.rejects(store.putCall(call('c1')), { code: 'conflict' })
    await assert.rejects(store.finishCall('unknown', { durationMs: 1 }), { code: 'not-found' })
  })

  storeCase('listeners get each call whose outcome is on disk, before the write resolves', async (store) => {
    const ended: string[] = []
    const stop = store.watchCalls((id) => ended.push(id))
    for (const id of ['c1', 'c2', 'c3']) await store.putCall(call(id))
    assert.deepEqual(ended, [])
    await store.finishCall('c2', { durationMs: 1 })
    assert.deepEqual(ended, ['c2'])
    await store.transaction([
      { type: 'value', key: 'k', value: 1 },
      { type: 'call-outcome', id: 'c1', outcome: { durationMs: 1 } },
    ])
    assert.deepEqual(ended, ['c2', 'c1'])
    await store.putCall(call('c4', { outcome: { durationMs: 1 } }))
    await store.transaction([{ type: 'call', record: call('c5', { outcome: { durationMs: 1 } }) }])
    assert.deepEqual(ended, ['c2', 'c1', 'c4', 'c5'])
    await assert.rejects(store.finishCall('unknown', { durationMs: 1 }), { code: 'not-found' })
    stop()
    await store.finishCall('c3', { durationMs: 1 })
    assert.equal(ended.length, 4)
  })

  storeCase('calls of a session are listed in the order they were made', async (store) => {
    await store.append('a', [start], at(1))
    await store.append('b', [start], at(1))
    for (const id of ['c3', 'c1', 'c2', 'c4']) await store.putCall(call(id, { session: 'a' }))
    await store.putCall(call('other', { session: 'b' }))
    await store.putCall(call('alone'))
    const ids = async (options?: Parameters<typeof store.calls>[1]) =>
      (await store.calls('a', options)).map((record) => record.id)
    assert.deepEqual(await ids(), ['c3', 'c1', 'c2', 'c4'])
    assert.deepEqual(await ids({ last: 2 }), ['c2', 'c4'])
    assert.deepEqual(await ids({ last: 2, before: 'c2' }), ['c3', 'c1'])
    assert.deepEqual(await ids({ after: 'c3', limit: 2 }), ['c1', 'c2'])
    await assert.rejects(store.calls('a', { after: 'unknown' }), { code: 'not-found' })
    const found = async (options: Parameters<typeof store.findCalls>[0]) =>
      (await store.findCalls(options)).map((record) => record.id)
    assert.deepEqual(await found({ limit: 3 }), ['alone', 'other', 'c4'])
    assert.deepEqual(await found({ limit: 3, before: 'c4' }), ['c2', 'c1', 'c3'])
    await assert.rejects(store.findCalls({ limit: 1, before: 'unknown' }), { code: 'not-found' })
    assert.deepEqual(await found({ limit: 3, beginning: 'c' }), ['c1', 'c2', 'c3'])
    assert.deepEqual(await found({ limit: 3, beginning: 'al' }), ['alone'])
  })
}
