import assert from 'node:assert/strict'
import type { StoreCase } from './session-store-place.ts'
import { at, call, start } from './session-store-entries.ts'

/** What the ledger's calls promise. */
export function callCases(storeCase: StoreCase): void {
  storeCase('a call is kept as it was put, and its outcome beside it', async (store) => {
    await store.append('a', [start], at(1))
    const record = call('c1', { session: 'a', turn: 't1', upTo: 1, input: { text: 'sha256:…', list: [1, null] } })
    await store.putCall(record)
    assert.deepEqual(await store.call('c1'), record)
    const outcome = { durationMs: 12, finish: 'stop', wire: { sha256: 'ab', bytes: 3, url: 'http://127.0.0.1/' } }
    await store.finishCall('c1', outcome)
    assert.deepEqual(await store.call('c1'), { ...record, outcome })
    assert.equal(await store.call('unknown'), undefined)
  })

  storeCase('a call is put once and finished only when it was put', async (store) => {
    await store.putCall(call('c1'))
    await assert.rejects(store.putCall(call('c1')), { code: 'conflict' })
    await assert.rejects(store.finishCall('unknown', { durationMs: 1 }), { code: 'not-found' })
  })

  storeCase('calls of a session come in the order they were made', async (store) => {
    await store.append('a', [start], at(1))
    await store.append('b', [start], at(1))
    for (const id of ['c3', 'c1', 'c2', 'c4']) await store.putCall(call(id, { session: 'a' }))
    await store.putCall(call('other', { session: 'b' }))
    await store.putCall(call('alone'))
    const ids = async (options?: Parameters<typeof store.calls>[1]) =>
      (await store.calls('a', options)).map((record) => record.id)
    assert.deepEqual(await ids(), ['c3', 'c1', 'c2', 'c4'])
    assert.deepEqual(await ids({ last: 2 }), ['c2', 'c4'])
    assert.deepEqual(await ids({ after: 'c3', limit: 2 }), ['c1', 'c2'])
    await assert.rejects(store.calls('a', { after: 'unknown' }), { code: 'not-found' })
    const found = async (options: Parameters<typeof store.findCalls>[0]) =>
      (await store.findCalls(options)).map((record) => record.id)
    assert.deepEqual(await found({ limit: 3 }), ['alone', 'other', 'c4'])
    assert.deepEqual(await found({ limit: 3, beginning: 'c' }), ['c1', 'c2', 'c3'])
    assert.deepEqual(await found({ limit: 3, beginning: 'al' }), ['alone'])
  })
}
