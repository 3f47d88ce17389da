import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { chars, tokenx } from '../../context.ts'
import type { SessionStore } from '../../session.ts'
import { openCalibrationStore } from './calibration-store.ts'
import { systemClock } from '../../platform.ts'

/** The part of a store that a book writes to. */
function values(kept: Record<string, unknown> = {}): SessionStore {
  const store = {
    value: async (key: string) => kept[key],
    putValue: async (key: string, value: unknown) => void (kept[key] = value),
  }
  return store as unknown as SessionStore
}

const open = (store = values()) => openCalibrationStore(store, systemClock, assert.fail)

test('a prompt that fits by what was learned fits by what the provider counts', async () => {
  const ratios = fc.double({ min: 0.5, max: 2, noNaN: true })
  const cases = fc.tuple(ratios, fc.integer({ min: 1000, max: 1_000_000 }), fc.integer({ min: 3, max: 40 }))
  await fc.assert(
    fc.asyncProperty(cases, async ([ratio, room, samples]) => {
      const book = await open()
      for (let n = 0; n < samples; n += 1) book.observe('m', tokenx, 10_000, Math.floor(10_000 * ratio))
      const most = room - book.margin('m', tokenx, room)
      assert.ok(most * ratio <= room + 1, `${most} × ${ratio} > ${room}`)
      assert.ok(most * Math.max(1, ratio) >= room * 0.97, 'and no more is left free than the error asks for')
      await book.idle()
    }),
  )
})

test('a counter that counts too much leaves no less room for the window, only for its error', async () => {
  const book = await open()
  for (let n = 0; n < 60; n += 1) book.observe('m', tokenx, 10_000, 6000)
  assert.ok(book.margin('m', tokenx, 10_000) <= 100)
  assert.ok(Math.abs(book.ratio('m', tokenx) - 0.6) < 1e-6)
  await book.idle()
})

test('a counter is measured from the third call on, each model and counter by itself', async () => {
  const kept: Record<string, unknown> = {}
  const book = await open(values(kept))
  const measured = () => [book.isMeasured('m', tokenx), book.isMeasured('m', chars), book.isMeasured('n', tokenx)]
  for (const expected of [false, false, false, true]) {
    assert.deepEqual(measured(), [expected, false, false])
    book.observe('m', tokenx, 1000, 1100)
  }
  assert.deepEqual([book.called.has('m'), book.called.has('n')], [false, false])
  book.called.add('n')
  assert.equal(book.called.has('n'), true)
  await book.idle()
  const again = await open(values(kept))
  assert.deepEqual([again.isMeasured('m', tokenx), again.called.has('m'), again.called.has('n')], [true, true, false])
})
