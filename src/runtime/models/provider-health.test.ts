import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelError, type ModelErrorCode, type ModelErrorFacts } from '../../model.ts'
import { fixedClock } from '../../testing.ts'
import { createProviderHealth } from './provider-health.ts'

function health() {
  const clock = fixedClock()
  const own = createProviderHealth(clock)
  return {
    ...own,
    clock,
    fail(code: ModelErrorCode = 'server', facts: Partial<ModelErrorFacts> = {}) {
      own.note('lab/big', new ModelError(code, 'It failed.', { provider: 'lab', model: 'big', ...facts }))
    },
    state: () => own.breakers()[0]?.state,
  }
}

test('a breaker opens at the third failure in a row, and a success between them begins the count again', () => {
  const { fail, note, pauseOf, state } = health()
  fail()
  fail()
  note('lab/other')
  fail()
  fail()
  assert.deepEqual([state(), pauseOf('lab/big', true)], ['closed', undefined])
  fail()
  assert.deepEqual([state(), pauseOf('lab/big', true)], ['open', 30_000])
  assert.equal(pauseOf('other/big', true), undefined)
})

test('after the pause one call tries the provider, and each failure doubles the pause up to ten minutes', async () => {
  const { clock, fail, note, pauseOf, state, troubled } = health()
  for (let failures = 0; failures < 3; failures += 1) fail()
  for (const pause of [30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]) {
    assert.equal(pauseOf('lab/big', true), pause)
    await clock.advance(pause)
    assert.equal(state(), 'half-open')
    assert.equal(pauseOf('lab/big', false), undefined)
    assert.equal(pauseOf('lab/big', true), undefined)
    assert.equal(pauseOf('lab/small', true), 60_000)
    fail()
  }
  note('lab/big')
  assert.equal(troubled.size, 0)
})

test('a trial that never ends is followed by another one after a minute', async () => {
  const { clock, fail, pauseOf } = health()
  for (let failures = 0; failures < 3; failures += 1) fail()
  await clock.advance(30_000)
  assert.equal(pauseOf('lab/big', true), undefined)
  await clock.advance(59_999)
  assert.equal(pauseOf('lab/big', true), 1)
  await clock.advance(1)
  assert.equal(pauseOf('lab/big', true), undefined)
})

test('calls that fail behind an open breaker do not make its pause longer', () => {
  const { fail, pauseOf } = health()
  for (let failures = 0; failures < 9; failures += 1) fail()
  assert.equal(pauseOf('lab/big', true), 30_000)
})

test('a provider that refuses every call is paused at once, and for as long as it asks for, up to ten minutes', () => {
  for (const [code, facts, pause] of [
    ['auth', {}, 30_000],
    ['quota', {}, 30_000],
    ['network', { refused: true }, 30_000],
    ['quota', { retryAfterMs: 120_000 }, 120_000],
    ['quota', { retryAfterMs: 86_400_000 }, 600_000],
    ['rate-limit', { retryAfterMs: 120_000 }, undefined],
  ] as const) {
    const { fail, pauseOf } = health()
    fail(code, facts)
    assert.equal(pauseOf('lab/big', true), pause, code)
  }
})

test('a request that is wrong by itself, a model that is not there and a cancelled call change nothing', () => {
  const { fail, state, troubled } = health()
  for (const code of ['bad-request', 'content-filter', 'context-overflow', 'cancelled', 'model-not-found'] as const) {
    for (let failures = 0; failures < 3; failures += 1) fail(code)
  }
  assert.equal(troubled.size, 0)
  for (let failures = 0; failures < 3; failures += 1) fail('timeout')
  fail('bad-request')
  assert.equal(state(), 'open')
})
