import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type CacheRules, callCost, forecast, type Price } from '../context.ts'
import { SILENT } from '../wire.ts'

const AUTOMATIC: CacheRules = { kind: 'automatic', minimumTokens: 1024, step: 128, lifetimeSeconds: 300 }
const MARKED: CacheRules = { kind: 'marked', minimumTokens: 1024, lifetimeSeconds: 300 }
const PRICE: Price = { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 }

test('an automatic cache reuses whole steps of a long enough beginning', () => {
  const input = { promptTokens: 5000, cache: AUTOMATIC, price: { input: 2, cachedInput: 0.5, output: 8 } }
  assert.deepEqual(forecast({ ...input, reuseTokens: 3000 }), {
    cached: 2944,
    written: 0,
    fresh: 2056,
    money: (2944 * 0.5 + 2056 * 2) / 1e6,
  })
  assert.equal(forecast({ ...input, reuseTokens: 1023 }).cached, 0)
})

test('a marked cache writes what it could not read', () => {
  const whole = forecast({ promptTokens: 5000, reuseTokens: 3000, cache: MARKED, price: PRICE })
  assert.deepEqual(whole, { cached: 3000, written: 2000, fresh: 0, money: (3000 * 0.3 + 2000 * 3.75) / 1e6 })
  const short = forecast({ promptTokens: 900, reuseTokens: 900, cache: MARKED })
  assert.deepEqual(short, { cached: 0, written: 0, fresh: 900, money: undefined })
})

test('an engine that keeps its answers has read the last one already', () => {
  const cache: CacheRules = { kind: 'automatic', minimumTokens: 0, lifetimeSeconds: 300 }
  const input = { promptTokens: 5000, reuseTokens: 3000, answerTokens: 400 }
  assert.equal(forecast({ ...input, cache }).cached, 3000)
  assert.equal(forecast({ ...input, cache: { ...cache, answers: true } }).cached, 3400)
  assert.equal(forecast({ ...input, secondsSince: 301, cache: { ...cache, answers: true } }).cached, 0)
})

test('an expired cache is written again', () => {
  const { cached, written } = forecast({ promptTokens: 5000, reuseTokens: 3000, secondsSince: 301, cache: MARKED })
  assert.deepEqual({ cached, written }, { cached: 0, written: 5000 })
})

test('every token of a prompt is counted exactly once', () => {
  const rules = fc.constantFrom(AUTOMATIC, MARKED, undefined)
  fc.assert(
    fc.property(
      fc.nat(500_000),
      fc.nat(500_000),
      fc.nat(600),
      rules,
      (promptTokens, reuseTokens, secondsSince, cache) => {
        const found = forecast({ promptTokens, reuseTokens, secondsSince, price: PRICE, ...(cache ? { cache } : {}) })
        assert.equal(found.cached + found.written + found.fresh, promptTokens)
        assert.ok(found.cached >= 0 && found.written >= 0 && found.fresh >= 0 && found.cached <= reuseTokens)
      },
    ),
  )
})

test('a reported call costs what its parts cost, and nothing is guessed', () => {
  const usage = { ...SILENT, promptTokens: 1000, cachedTokens: 600, cacheWrittenTokens: 300, outputTokens: 50 }
  assert.equal(callCost(usage, PRICE), (600 * 0.3 + 300 * 3.75 + 100 * 3) / 1e6 + (50 * 15) / 1e6)
  assert.equal(callCost({ ...SILENT, promptTokens: 1000, outputTokens: 0 }, PRICE), 0.003)
  assert.equal(callCost({ ...SILENT, outputTokens: 50 }, PRICE), undefined)
})

test('a long prompt costs its higher price, answer included', () => {
  const price: Price = { input: 1, output: 5, above: { tokens: 1000, price: { input: 2, output: 8 } } }
  assert.equal(callCost({ ...SILENT, promptTokens: 1000, outputTokens: 10 }, price), (1000 + 50) / 1e6)
  assert.equal(callCost({ ...SILENT, promptTokens: 2000, outputTokens: 10 }, price), (4000 + 80) / 1e6)
})
