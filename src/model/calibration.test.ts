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

test('early samples weigh the same, and later ones a tenth', () => {
  const three = learned([1100, 900, 1300].map((reported) => ({ estimated: 1000, reported })))
  assert.equal(three.samples, 3)
  assert.ok(Math.abs(three.mean - 1.1) < 1e-9, String(three.mean))
  const ten = { samples: 10, mean: 1, deviation: 0 }
  const { mean, deviation } = observe(ten, { estimated: 1000, reported: 1500 })
  assert.ok(Math.abs(mean - 1.05) < 1e-9 && Math.abs(deviation - 0.045) < 1e-9, `${mean} ${deviation}`)
})

test('samples are believed from 50 tokens on, and from half to twice the estimate', () => {
  const believed = (sample: PromptSample) => observe(UNCALIBRATED, sample) !== UNCALIBRATED
  const at = (estimated: number, factor: number) => believed({ estimated, reported: estimated * factor })
  assert.deepEqual([at(49, 1), at(50, 1)], [false, true])
  assert.deepEqual([at(1000, 0.499), at(1000, 0.5), at(1000, 2), at(1000, 2.001)], [false, true, true, false])
})

test('the margin is three times the measured distance, and a fiftieth more for one sample, shared by how many there are', () => {
  const free = (samples: number, deviation: number, mean = 1) => margin({ samples, mean, deviation }, 1_000_000)
  const near = (got: number, wanted: number) => assert.ok(Math.abs(got - wanted) <= 1, `${got} instead of ${wanted}`)
  near(free(1, 0.01), 30_000 + 10_000)
  near(free(19, 0.02), 60_000 + 1000)
  near(free(19, 0.02, 2), 30_000 + 1000)
  near(free(1_000_000, 0), 5000)
  near(free(19, 0.5), 150_000)
  near(free(0, 0.5), 20_000)
})

test('the state survives as JSON', () => {
  const state = learned([{ estimated: 1000, reported: 1234 }])
  assert.deepEqual(JSON.parse(JSON.stringify(state)), state)
})
