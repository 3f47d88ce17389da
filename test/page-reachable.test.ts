import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteReach, untilReachable } from '../web/src/api/reachable.ts'

/** Longer than any test may take. */
const LONG_MS = 600_000

test('whatever waits for the gateway tries again as soon as anything of the page has got an answer', async () => {
  const { signal } = new AbortController()
  noteReach(true)
  noteReach(false)
  const waits = [untilReachable(LONG_MS, signal), untilReachable(LONG_MS, signal)]
  noteReach(false)
  noteReach(true)
  await Promise.all(waits)
})

test('an answer wakes nothing while the gateway was not away: an error of it is asked for again in its own time', async () => {
  const controller = new AbortController()
  let woken = false
  const waits = untilReachable(LONG_MS, controller.signal).then(() => (woken = true))
  noteReach(true)
  await new Promise(setImmediate)
  assert.equal(woken, false)
  controller.abort()
  await waits
})
