import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  type KindCalibration,
  kindDistance,
  type KindSample,
  kindTokens,
  observeKinds,
  UNKNOWN_KINDS,
  type KindTokens,
  textKind,
} from './calibration.ts'

/** What a tokenizer makes of each kind, for one token of the counter. */
const TRUE = { prose: 1, code: 1.25, json: 0.8, dense: 1.5 } as const
const reportedOf = (counted: KindTokens) =>
  Object.entries(counted).reduce((sum, [kind, tokens]) => sum + tokens * TRUE[kind as keyof typeof TRUE], 0)

function sampleOf(state: KindCalibration, counted: KindTokens, factor = 1, known = 5000, frame = 0): KindSample {
  const messages = 1
  const expected = known + kindTokens(state, { counted, messages }, 1)
  return { counted, messages, known, expected, reported: known + (reportedOf(counted) + frame * messages) * factor }
}

test('code, JSON and scripts without spaces are told from prose', () => {
  assert.equal(textKind('The ferry leaves before the tide turns (at noon).'), 'prose')
  assert.equal(
    textKind('export const tide = (hours: number[]) => {\n  return hours.map((hour) => hour * 2)\n}'),
    'code',
  )
  assert.equal(textKind('{"station": 4, "levels": [{"at": "04:30", "metres": 3.4}]}'), 'json')
  assert.equal(textKind('第四港の潮位は午前に高く、船は正午まで待ちます。'), 'dense')
  assert.equal(textKind(''), 'prose')
})

test('each kind is learned by itself, also where calls mix them', () => {
  const mixes: readonly KindTokens[] = [
    { prose: 400 },
    { code: 700, prose: 90 },
    { json: 500, prose: 90 },
    { dense: 600 },
    { prose: 100, code: 200, json: 200 },
  ]
  let state = UNKNOWN_KINDS
  for (let call = 0; call < 60; call += 1) state = observeKinds(state, sampleOf(state, mixes[call % mixes.length]!), 1)
  for (const kind of ['prose', 'code', 'json', 'dense'] as const) {
    const found = kindTokens(state, { counted: { [kind]: 100 }, messages: 0 }, 1)
    assert.ok(Math.abs(found / (TRUE[kind] * 100) - 1) < 0.03, `${kind}: ${found}`)
  }
})

test('what a template adds to each message is told from how the texts are counted', () => {
  let state = UNKNOWN_KINDS
  for (let call = 0; call < 40; call += 1) {
    const sample = sampleOf(state, { prose: [40, 200, 550][call % 3]! }, 1.05, 5000, 24)
    state = observeKinds(state, sample, 1)
  }
  for (const tokens of [0, 50, 500, 5000]) {
    const found = kindTokens(state, { counted: { prose: tokens }, messages: 1 }, 1)
    const right = (tokens + 24) * 1.05
    assert.ok(Math.abs(found - right) < 2 + right * 0.01, `${tokens}: ${found} for ${right}`)
  }
})

test('a call of one kind says nothing of another', () => {
  const state = observeKinds(UNKNOWN_KINDS, sampleOf(UNKNOWN_KINDS, { code: 700 }), 1)
  assert.equal(
    kindTokens({ ...state, perMessage: 0 }, { counted: { json: 100 }, messages: 1 }, 1.1),
    110.00000000000001,
  )
})

test('nine reports in ten are in the interval, however far estimates are off', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 0.6, noNaN: true }),
      fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 200, maxLength: 200 }),
      (scatter, errors) => {
        let state = UNKNOWN_KINDS
        let inside = 0
        for (const error of errors) {
          const sample = sampleOf(state, { prose: 500 }, 1 + error * scatter)
          if (Math.abs(sample.reported - sample.expected) <= kindDistance(state, sample)) inside += 1
          state = observeKinds(state, sample, 1)
        }
        assert.ok(inside >= 180, `${inside} of 200`)
      },
    ),
  )
})

test('whatever is reported, the factors stay between 0.4 and 3 and the width between 1 and 100 %', () => {
  const number = fc.double()
  const counted = fc.record({ prose: number, code: number, json: number, dense: number }, { requiredKeys: [] })
  const sample = fc.record({
    counted,
    messages: number,
    known: fc.option(number, { nil: undefined }),
    expected: number,
    reported: number,
  })
  fc.assert(
    fc.property(fc.array(sample), number, (samples, ratio) => {
      const state = samples.reduce((before, each) => observeKinds(before, each as KindSample, ratio), UNKNOWN_KINDS)
      for (const factor of Object.values(state.factors)) assert.ok(factor >= 0.4 && factor <= 3, String(factor))
      assert.ok(state.perMessage >= -4 && state.perMessage <= 60, String(state.perMessage))
      assert.ok(state.width >= 0.01 && state.width <= 1)
      assert.deepEqual(JSON.parse(JSON.stringify(state)), state)
    }),
  )
})

test('empty prompts and reports of something else teach nothing', () => {
  for (const sample of [
    { counted: { prose: 29 }, known: 0, expected: 0, reported: 40 },
    { counted: { prose: 500 }, known: 0, expected: 500, reported: 1501 },
    { counted: { prose: 500 }, known: 0, expected: 500, reported: 100 },
    { counted: {}, known: 500, expected: 500, reported: 500 },
  ]) {
    assert.equal(observeKinds(UNKNOWN_KINDS, { ...sample, messages: 0 }, 1), UNKNOWN_KINDS)
  }
})
