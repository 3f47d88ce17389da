import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { margin, observe, type PromptSample, ratio, UNCALIBRATED } from './calibration.ts'

const learned = (samples: readonly PromptSample[]) => samples.reduce(observe, UNCALIBRATED)
const anySample = fc.record({ estimated: fc.double({ noNaN: false }), reported: fc.double({ noNaN: false }) })

test('without samples an estimate is taken as it is, and 2 % stay free', () => {
  assert.equal(ratio(UNCALIBRATED), 1)
  assert.equal(margin(UNCALIBRATED, 10_000), 200)
})

test('whatever is reported, the ratio stays between 0.5 and 2 and the margin between 0.5 and 15 %', () => {
  fc.assert(
    fc.property(fc.array(anySample), fc.integer({ min: 1, max: 2_000_000 }), (samples, available) => {
      const state = learned(samples)
      assert.ok(ratio(state) >= 0.5 && ratio(state) <= 2)
      const free = margin(state, available)
      assert.ok(free >= available * 0.005 && free <= Math.ceil(available * 0.15), String(free))
    }),
  )
})

test('a counter that is always off by the same share is corrected, and its margin shrinks', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.55, max: 1.9, noNaN: true }), (share) => {
      const state = learned(
        Array.from({ length: 60 }, (_, n) => ({ estimated: 1000 + n, reported: (1000 + n) * share })),
      )
      assert.ok(Math.abs(ratio(state) - share) < 1e-6)
      assert.ok(margin(state, 10_000) <= margin(UNCALIBRATED, 10_000))
    }),
  )
})

test('absurd samples leave everything as it was', () => {
  const state = learned([{ estimated: 1000, reported: 1100 }])
  for (const sample of [
    { estimated: 1000, reported: 5000 },
    { estimated: 1000, reported: 0 },
    { estimated: 0, reported: 100 },
    { estimated: 10, reported: 15 },
    { estimated: Number.NaN, reported: 1 },
    { estimated: Infinity, reported: Infinity },
  ]) {
    assert.equal(observe(state, sample), state)
  }
})

test('more scatter asks for more room', () => {
  const scattered = (by: number) =>
    learned(Array.from({ length: 40 }, (_, n) => ({ estimated: 1000, reported: 1000 * (n % 2 ? 1 + by : 1 - by) })))
  assert.ok(margin(scattered(0.03), 10_000) > margin(scattered(0.005), 10_000))
})

test('the state survives as JSON', () => {
  const state = learned([{ estimated: 1000, reported: 1234 }])
  assert.deepEqual(JSON.parse(JSON.stringify(state)), state)
})
