import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { TimeoutExceeded, withCallTimeout } from './call-limits.ts'
import { systemClock } from '../platform.ts'

const calm = new AbortController().signal

test('a promise is waited for, and its failure is the failure of the wait', async () => {
  assert.equal(await withCallTimeout(systemClock, Promise.resolve('here'), 60_000, calm), 'here')
  await assert.rejects(withCallTimeout(systemClock, Promise.reject(new Error('gone')), 60_000, calm), /gone/)
})

test('a wait ends with its time and with its signal', async () => {
  const never = new Promise(() => {})
  await assert.rejects(withCallTimeout(systemClock, never, 1, calm), TimeoutExceeded)
  const giving = new AbortController()
  const waiting = withCallTimeout(systemClock, never, 60_000, giving.signal)
  giving.abort(new Error('given up'))
  await assert.rejects(waiting, /given up/)
})

test('what fails after the signal has ended is no rejection that nobody handles', async (t) => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  const failing = Promise.withResolvers<never>()
  await assert.rejects(
    withCallTimeout(systemClock, failing.promise, 60_000, AbortSignal.abort(new Error('given up'))),
    /given up/,
  )
  failing.reject(new Error('too late'))
  await turn()
  assert.deepEqual(unhandled, [])
})
