import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate as others } from 'node:timers/promises'
import { ForewordError, settlesWithin, sleep, withTimeout } from '../platform.ts'
import { orAborted } from './timers.ts'

const never = new Promise<never>(() => {})

test('work is waited for until time is up, or its signal is aborted', async () => {
  assert.equal(await withTimeout(Promise.resolve(1), 60_000), 1)
  await assert.rejects(withTimeout(Promise.reject(new Error('it failed')), 60_000), /it failed/)
  await assert.rejects(withTimeout(never, 1), (error) => error instanceof ForewordError && error.code === 'timeout')
  await assert.rejects(withTimeout(never, 1, { error: () => new Error('too slow') }), /too slow/)
  const signal = AbortSignal.abort(new Error('gone'))
  await assert.rejects(withTimeout(never, 60_000, { signal }), /gone/)
  await assert.rejects(withTimeout(Promise.reject(new Error('unheard')), 60_000, { signal }), /gone/)
})

test('whether work is over in time is answered, whatever it comes to', async () => {
  assert.equal(await settlesWithin(Promise.resolve(), 60_000), true)
  assert.equal(await settlesWithin(Promise.reject(new Error('it failed')), 60_000), true)
  assert.equal(await settlesWithin(never, 1), false)
})

test('a sleep ends with its time or with the first of its signals', async () => {
  await sleep(1)
  const ending = new AbortController()
  const waiting = sleep(Number.MAX_SAFE_INTEGER, undefined, ending.signal)
  ending.abort()
  await waiting
  await sleep(60_000, ending.signal)
})

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
