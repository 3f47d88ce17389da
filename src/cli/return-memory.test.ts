import assert from 'node:assert/strict'
import test from 'node:test'
import { fixedClock } from '../testing.ts'
import { returnMemoryWhenQuiet } from './return-memory.ts'

const MB = 1024 ** 2

test('a quiet process that has grown returns its memory once, and a busy one none', async () => {
  const clock = fixedClock()
  const state = { resident: 100 * MB, worked: 0, collections: 0 }
  const stop = returnMemoryWhenQuiet(clock, {
    resident: () => state.resident,
    worked: () => state.worked,
    collect() {
      state.resident = 110 * MB
      state.collections += 1
    },
  })
  const afterSeconds = async (seconds: number, change: Partial<typeof state> = {}) => {
    Object.assign(state, change)
    await clock.advance(seconds * 1_000)
    return state.collections
  }
  assert.equal(await afterSeconds(60), 0)
  assert.equal(await afterSeconds(20, { resident: 250 * MB, worked: 15_000 }), 0)
  assert.equal(await afterSeconds(20), 1)
  assert.equal(await afterSeconds(600), 1)
  assert.equal(await afterSeconds(20, { resident: 120 * MB }), 1)
  assert.equal(await afterSeconds(20, { resident: 130 * MB }), 2)
  stop()
  assert.equal(await afterSeconds(60, { resident: 500 * MB }), 2)
})
