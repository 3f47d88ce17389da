import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixedClock } from '../../testing.ts'
import { createLearnedLimits, limitSentence } from './learned-limits.ts'

const model = { id: 'local/m', facts: { window: 8192 } }

function known() {
  const clock = fixedClock()
  return { clock, limits: createLearnedLimits(clock) }
}

test('a window that its provider named holds for an hour', async () => {
  const { clock, limits } = known()
  limits.refused(model, { limit: 4096, used: 5000, call: 'call_1' })
  const limit = {
    window: 4096,
    from: 'named-limit',
    call: 'call_1',
    since: '2026-01-05T12:00:00.000Z',
    until: '2026-01-05T13:00:00.000Z',
  } as const
  assert.deepEqual(limits.of('local/m'), limit)
  assert.equal(limits.of('local/other'), undefined)
  assert.deepEqual(limits.sentences(), [limitSentence('local/m', limit)])
  assert.equal(
    limitSentence('local/m', limit),
    'local/m is used with a window of 4,096 tokens from 2026-01-05T12:00:00.000Z to 2026-01-05T13:00:00.000Z, because its provider ' +
      'named that limit when it refused a request (call call_1). Lift this with `foreword reload`; models."local/m".window in ' +
      'config.json sets the window for good.',
  )
  await clock.advance(60 * 60 * 1000 - 1)
  assert.ok(limits.of('local/m'))
  await clock.advance(1)
  assert.deepEqual([limits.of('local/m'), limits.sentences()], [undefined, []])
})

test('a refusal without a number proves that a prompt of this size is too large, and nothing more', () => {
  const { limits } = known()
  limits.refused(model, { limit: undefined, used: 5000 })
  assert.equal(limits.of('local/m')?.prompt, 4999)
  limits.refused(model, { limit: undefined, used: 6000 })
  assert.equal(limits.of('local/m')?.prompt, 4999)
  limits.refused(model, { limit: undefined, used: 3000 })
  const { prompt, window, from } = limits.of('local/m') ?? assert.fail()
  assert.deepEqual([prompt, window, from], [2999, undefined, 'refused-size'])
})

test('a named limit that is no smaller than the known window counts as none; absurd figures teach nothing', () => {
  const { limits } = known()
  limits.refused(model, { limit: 8192, used: 7000 })
  assert.deepEqual([limits.of('local/m')?.window, limits.of('local/m')?.prompt], [undefined, 6999])
  limits.forget()
  limits.refused(model, { limit: 255, used: 7000 })
  limits.refused(model, { limit: undefined, used: 256 })
  limits.readShort(model, { read: 255, used: 7000 })
  limits.readShort(model, { read: Number.NaN, used: 7000 })
  assert.equal(limits.of('local/m'), undefined)
  limits.refused(model, { limit: 256, used: 7000 })
  assert.equal(limits.of('local/m')?.window, 256)
})

test('what was read of a prompt is what is believed, unless a larger one was read whole before', () => {
  const { limits } = known()
  limits.readShort(model, { read: 2000, used: 6000 })
  assert.equal(limits.of('local/m')?.prompt, 2000)
  limits.readWhole(model, { reported: 2000, used: 2000 })
  assert.equal(limits.of('local/m')?.prompt, 2000)
  limits.readWhole(model, { reported: 3000, used: 3000 })
  assert.equal(limits.of('local/m'), undefined, 'a larger prompt was read whole')
  limits.readShort(model, { read: 500, used: 6000 })
  assert.equal(limits.of('local/m')?.prompt, 3000)
  limits.readShort(model, { read: 500, used: 2500 })
  assert.equal(limits.of('local/m')?.prompt, 500, 'the server reads less than it did')
})

test('a prompt that was read whole disproves a smaller window', () => {
  const { limits } = known()
  limits.refused(model, { limit: 4096, used: 5000 })
  limits.readWhole(model, { reported: 4096, used: 4000 })
  assert.ok(limits.of('local/m'))
  limits.readWhole(model, { reported: 4097, used: 4000 })
  assert.equal(limits.of('local/m'), undefined)
})
