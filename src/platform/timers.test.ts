import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate as others } from 'node:timers/promises'
import { ForewordError, settlesWithin, withTimeout, systemClock } from '../platform.ts'
import { fixedClock } from '../testing.ts'
import { orAborted } from './timers.ts'

const never = new Promise<never>(() => {})

test('work is waited for until time is up, or its signal is aborted', async () => {
  assert.equal(await withTimeout(systemClock, Promise.resolve(1), 60_000), 1)
  await assert.rejects(withTimeout(systemClock, Promise.reject(new Error('it failed')), 60_000), /it failed/)
  await assert.rejects(
    withTimeout(systemClock, never, 1),
    (error) => error instanceof ForewordError && error.code === 'timeout',
  )
  await assert.rejects(withTimeout(systemClock, never, 1, { error: () => new Error('too slow') }), /too slow/)
  const signal = AbortSignal.abort(new Error('gone'))
  await assert.rejects(withTimeout(systemClock, never, 60_000, { signal }), /gone/)
  await assert.rejects(withTimeout(systemClock, Promise.reject(new Error('unheard')), 60_000, { signal }), /gone/)
})

test('whether work is over in time is answered, whatever it comes to', async () => {
  assert.equal(await settlesWithin(systemClock, Promise.resolve(), 60_000), true)
  assert.equal(await settlesWithin(systemClock, Promise.reject(new Error('it failed')), 60_000), true)
  assert.equal(await settlesWithin(systemClock, never, 1), false)
})

test('a sleep ends with its time or with its signal', async () => {
  const clock = fixedClock()
  const order: string[] = []
  const short = clock.sleep(10).then(() => order.push('short'))
  const ending = new AbortController()
  const long = clock.sleep(Number.MAX_SAFE_INTEGER, ending.signal).then(() => order.push('long'))
  await clock.advance(9)
  assert.deepEqual(order, [])
  await clock.advance(1)
  await short
  ending.abort()
  await long
  assert.deepEqual([order, clock.timers], [['short', 'long'], []])
  await clock.sleep(60_000, ending.signal)
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
