import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore, type SessionStore, StoreError, type StoreErrorCode } from '../session.ts'
import { fixedClock } from '../testing.ts'
import { watchStore } from './watched-store.ts'

/** A store whose writes of values fail with a code, as long as there is one. */
async function failingStore() {
  const clock = fixedClock({ start: '2026-01-01T00:00:00.000Z' })
  const opened = await openStore({ clock, path: ':memory:' })
  let code: StoreErrorCode | undefined
  let writes = 0
  const store: SessionStore = {
    ...opened,
    async putValue(key, value) {
      writes += 1
      if (code !== undefined) throw new StoreError(code, 'it failed')
      await opened.putValue(key, value)
    },
  }
  const fails = (next: StoreErrorCode | undefined) => (code = next)
  return { ...watchStore(store, clock), clock, fails, writes: () => writes }
}

test('health writes nothing while writes go well, and after a failure one small write a second until one goes well', async () => {
  const { store, health, clock, fails, writes } = await failingStore()
  assert.deepEqual([await health.fault(), writes()], [undefined, 0])
  fails('full')
  await assert.rejects(store.putValue('a', 1), { code: 'full' })
  assert.deepEqual([await health.fault(), writes()], ['full', 2])
  assert.deepEqual([await health.fault(), writes()], ['full', 2])
  fails(undefined)
  await clock.advance(1_000)
  assert.deepEqual([await health.fault(), writes()], [undefined, 4])
  assert.equal(await store.value('storage-probe'), null)
})

test('a write that goes well ends the fault at once, and what a caller did wrong is none', async () => {
  const { store, health, fails, writes } = await failingStore()
  fails('io')
  await assert.rejects(store.putValue('a', 1), { code: 'io' })
  await assert.rejects(store.append('none', [{ type: 'turn-start', turn: 't' }], '2026-01-01T00:00:00.000Z'))
  fails(undefined)
  await store.putValue('a', 1)
  assert.deepEqual([await health.fault(), writes()], [undefined, 2])
  fails('conflict')
  await assert.rejects(store.putValue('a', 1), { code: 'conflict' })
  assert.deepEqual([await health.fault(), writes()], [undefined, 3])
})
