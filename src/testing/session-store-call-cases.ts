import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { StoreCase } from './session-store-place.ts'
import { at, call, start } from './session-store-entries.ts'

/** What the ledger's calls and contents promise. */
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

  storeCase('a text is stored once under its SHA-256', async (store, place) => {
    const text = 'You are helpful. 字'
    const hash = createHash('sha256').update(text).digest('hex')
    assert.deepEqual(await Promise.all([store.putContent(text), store.putContent(text)]), [hash, hash])
    assert.equal(await store.putContent(text), hash)
    assert.equal(await store.content(hash), text)
    assert.equal(await store.content(hash.replaceAll(/./g, '0')), undefined)
    await store.close()
    const again = await place.open()
    assert.equal(await again.content(hash), text)
    await again.close()
  })

  storeCase('texts that UTF-8 cannot hold come back as they were, under addresses of their own', async (store) => {
    const texts = ['', '\u0000', '\ud800', '\ufffd', '\ud801', 'a\udc00b']
    const hashes = await Promise.all(texts.map((text) => store.putContent(text)))
    assert.equal(new Set(hashes).size, texts.length)
    assert.deepEqual(await Promise.all(hashes.map((hash) => store.content(hash))), texts)
  })
}
