import assert from 'node:assert/strict'
import test from 'node:test'
import type { LayerContext } from '../../capability/plugin.ts'
import { datePlugin } from './date.ts'
import { dateText, dateWords } from './date-text.ts'

for (const [time, granularity, timeZone, text] of [
  ['2026-11-21T12:00:00.000Z', 'day', 'UTC', 'Today is Saturday, 2026-11-21.'],
  ['2026-11-21T23:30:00.000Z', 'day', 'Europe/Berlin', 'Today is Sunday, 2026-11-22.'],
  ['2026-11-21T23:30:00.000Z', 'minute', 'Europe/Berlin', 'It is Sunday, 2026-11-22, 00:30 (Europe/Berlin).'],
  ['2026-01-01T03:04:59.999Z', 'minute', 'UTC', 'It is Thursday, 2026-01-01, 03:04 (UTC).'],
  ['2026-01-01T03:04:59.999Z', 'day', 'America/New_York', 'Today is Wednesday, 2025-12-31.'],
  ['2026-01-01T03:04:59.999Z', 'none', 'UTC', ''],
] as const) {
  test(`${time} to the ${granularity} in ${timeZone} reads "${text}"`, () => {
    assert.equal(dateText(time, granularity, timeZone), text)
  })
}

test('the date that a prompt asks for can stand in a sentence, and is there where no layer tells it', async () => {
  const time = '2026-11-21T23:30:00.000Z'
  assert.equal(dateWords(time, 'day', 'Europe/Berlin'), 'Sunday, 2026-11-22')
  assert.equal(dateWords(time, 'minute', 'Europe/Berlin'), 'Sunday, 2026-11-22, 00:30 (Europe/Berlin)')
  const silent = datePlugin({ timeZone: 'UTC', tells: false, granularity: 'none' })
  assert.deepEqual(await silent.layers!(at(time)), [])
  assert.equal(silent.date!(at(time)), 'Saturday, 2026-11-21')
})

test('the layer speaks of the time of the input, so that the same input gives the same words', async () => {
  const plugin = datePlugin({ timeZone: 'UTC' })
  const layers = await plugin.layers!(at('2026-11-21T00:00:00.000Z'))
  assert.deepEqual(layers, await plugin.layers!(at('2026-11-21T23:59:59.999Z')))
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

test('without a granularity there is no layer', async () => {
  assert.deepEqual(
    await datePlugin({ timeZone: 'UTC', granularity: 'none' }).layers!(at('2026-11-21T00:00:00.000Z')),
    [],
  )
})

function at(time: string): LayerContext {
  return { time, layout: 'auto', tools: [] }
}
