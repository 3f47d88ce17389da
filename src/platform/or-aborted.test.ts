import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate as others } from 'node:timers/promises'
import { orAborted } from './or-aborted.ts'

test('work is waited for until its signal is aborted, and what it fails with later troubles nobody', async () => {
  assert.equal(await orAborted(Promise.resolve(1), undefined), 1)
  const ending = new AbortController()
  assert.equal(await orAborted(Promise.resolve(2), ending.signal), 2)
  await assert.rejects(orAborted(Promise.reject(new Error('it failed')), ending.signal), /it failed/)
  const work = Promise.withResolvers<number>()
  const waited = orAborted(work.promise, ending.signal)
  ending.abort(new Error('gone'))
  await assert.rejects(waited, /gone/)
  await assert.rejects(orAborted(work.promise, ending.signal), /gone/)
  work.reject(new Error('too late'))
  await others()
})
