import assert from 'node:assert/strict'
import test from 'node:test'
import type { LayerContext, Self } from '../../capability.ts'
import { type Layer, layoutOf } from '../../context.ts'
import { date, dateWords } from './date.ts'

for (const [time, granularity, timeZone, text] of [
  ['2026-11-21T12:00:00.000Z', 'day', 'UTC', 'Today is Saturday, 2026-11-21.'],
  ['2026-11-21T23:30:00.000Z', 'day', 'Europe/Berlin', 'Today is Sunday, 2026-11-22.'],
  ['2026-11-21T23:30:00.000Z', 'minute', 'Europe/Berlin', 'It is Sunday, 2026-11-22, 00:30 (Europe/Berlin).'],
  ['2026-01-01T03:04:59.999Z', 'minute', 'UTC', 'It is Thursday, 2026-01-01, 03:04 (UTC).'],
  ['2026-01-01T03:04:59.999Z', 'day', 'America/New_York', 'Today is Wednesday, 2025-12-31.'],
  ['2026-01-01T03:04:59.999Z', 'none', 'UTC', ''],
] as const) {
  test(`${time} to the ${granularity} in ${timeZone} reads "${text}"`, () => {
    const layers = date.layers!(self({ settings: granularity, timeZone }), at(time)) as readonly Layer[]
    assert.equal(layers.map(({ renditions }) => renditions[0]!.text).join(), text)
  })
}

test('a date placeholder works inside a sentence, and without a date layer', () => {
  const time = '2026-11-21T23:30:00.000Z'
  assert.equal(dateWords(time, 'day', 'Europe/Berlin'), 'Sunday, 2026-11-22')
  assert.equal(dateWords(time, 'minute', 'Europe/Berlin'), 'Sunday, 2026-11-22, 00:30 (Europe/Berlin)')
  const silent = self({ settings: 'none', layout: layoutOf('chai') })
  assert.deepEqual(date.layers!(silent, at(time)), [])
  assert.deepEqual(date.placeholders!(silent, at(time)), { date: 'Saturday, 2026-11-21' })
})

test('the layer speaks of the time of the input, so that the same input gives the same words', () => {
  const layers = date.layers!(self(), at('2026-11-21T00:00:00.000Z'))
  assert.deepEqual(layers, date.layers!(self(), at('2026-11-21T23:59:59.999Z')))
  assert.deepEqual(layers, [
    {
      id: 'date',
      layer: 'date',
      renditions: [{ form: 'full', text: 'Today is Saturday, 2026-11-21.' }],
      placement: 'system',
      priority: 'high',
      origin: { kind: 'operator', ref: 'date of the input' },
    },
  ])
})

test('without a granularity, and in a layout that does not tell it, there is no layer', () => {
  assert.deepEqual(date.layers!(self({}), { ...at('2026-11-21T00:00:00.000Z'), layout: layoutOf('chai') }), [])
  assert.deepEqual(date.layers!(self({ settings: 'none' }), at('2026-11-21T00:00:00.000Z')), [])
})

type Given = Pick<Self<'day' | 'minute' | 'none'>, 'settings' | 'layout' | 'timeZone'>

function self(given: Partial<Given> = {}) {
  const usual: Given = { settings: 'day', layout: layoutOf('auto'), timeZone: 'UTC' }
  return { ...usual, ...given } as Self<'day' | 'minute' | 'none'>
}

function at(time: string): LayerContext {
  return { time, layout: layoutOf('auto') } as LayerContext
}
