import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockOf, systemClock } from '../../platform.ts'
import type * as languagesModule from './languages.ts'

test('other work runs between the languages while they are loaded', async () => {
  // As in a process that has not loaded them yet.
  const fresh = `${import.meta.resolve('./languages.ts')}?fresh`
  const { loadLanguages } = (await import(fresh)) as typeof languagesModule
  let now = 0
  let yields = 0
  const clock = clockOf({
    ...systemClock,
    // Each language takes as long as a slice.
    monotonic: () => (now += 11),
    soon(work) {
      yields += 1
      systemClock.soon(work)
    },
  })
  const languages = await loadLanguages(clock)
  assert.equal(languages.named('indonesian')?.name, 'indonesian')
  assert.equal(yields, 2 * 20)
})
