import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  calibratedManifest,
  type CacheRules,
  callCost,
  callFigures,
  forecast,
  type Manifest,
  type Price,
  priceOfModel,
} from '../context.ts'
import { UNREPORTED_USAGE } from '../wire.ts'

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
  const usage = {
    ...UNREPORTED_USAGE,
    promptTokens: 1000,
    cachedTokens: 600,
    cacheWrittenTokens: 300,
    outputTokens: 50,
  }
  assert.equal(callCost(usage, PRICE), (600 * 0.3 + 300 * 3.75 + 100 * 3) / 1e6 + (50 * 15) / 1e6)
  assert.equal(callCost({ ...UNREPORTED_USAGE, promptTokens: 1000, outputTokens: 0 }, PRICE), 0.003)
  assert.equal(callCost({ ...UNREPORTED_USAGE, outputTokens: 50 }, PRICE), undefined)
})

test('a long prompt costs its higher price, answer included', () => {
  const price: Price = { input: 1, output: 5, above: { tokens: 1000, price: { input: 2, output: 8 } } }
  assert.equal(callCost({ ...UNREPORTED_USAGE, promptTokens: 1000, outputTokens: 10 }, price), (1000 + 50) / 1e6)
  assert.equal(callCost({ ...UNREPORTED_USAGE, promptTokens: 2000, outputTokens: 10 }, price), (4000 + 80) / 1e6)
})

const SLOTS = ['tools', 'system', 'preamble', 'history', 'before-input', 'input', 'after-input'] as const

/** Accounts whose entries add up to what they used, as those of the assembler do. */
const accounts = fc
  .array(fc.record({ slot: fc.constantFrom(...SLOTS), tokens: fc.nat(5000), more: fc.nat(300) }), { maxLength: 30 })
  .map((rows): Manifest => {
    const used = rows.reduce((sum, { tokens }) => sum + tokens, 0)
    const room = used + 500
    return {
      version: 1,
      layout: 'chat',
      counter: { id: 'tokenx', version: '1' },
      budget: { window: room + 1100, reserve: 1000, margin: 100, available: room },
      used,
      slots: Object.fromEntries(
        SLOTS.map((slot) => [slot, rows.reduce((sum, row) => sum + (row.slot === slot ? row.tokens : 0), 0)]),
      ) as Manifest['slots'],
      entries: rows.map(({ slot, tokens, more }, index) => ({
        id: `entry-${index}`,
        layer: 'notes',
        slot,
        outcome: more === 0 ? 'included' : 'reduced',
        tokens,
        fullTokens: tokens + more,
        ...(more > 0 && { reason: { code: 'budget', wanted: tokens + more, free: tokens } }),
        origin: { kind: 'operator', ref: 'home' },
      })),
      displaced: 0,
    }
  })
const reports = fc.record(
  { promptTokens: fc.nat(200_000), cachedTokens: fc.nat(200_000), cacheWrittenTokens: fc.nat(50_000) },
  { requiredKeys: [] },
)
const forecasts = fc
  .tuple(
    fc.nat(200_000),
    fc.nat(200_000),
    fc.constantFrom(AUTOMATIC, MARKED, undefined),
    fc.constantFrom(PRICE, undefined),
  )
  .map(([promptTokens, reuseTokens, cache, price]) =>
    forecast({ promptTokens, reuseTokens, ...(cache && { cache }), ...(price && { price }) }),
  )

test('the parts of a call add up to its prompt, and what was not reported has no figure', () => {
  fc.assert(
    fc.property(accounts, reports, forecasts, (account, usage, expected) => {
      const manifest = { ...account, forecast: expected }
      for (const figures of [
        callFigures(manifest, { price: PRICE }),
        callFigures(manifest, { usage }),
        callFigures(account, { usage }),
      ]) {
        const { total, cached, written = 0, fresh, window } = figures
        assert.equal(window, account.budget.window)
        if (cached === undefined) assert.equal(fresh, undefined)
        else assert.equal(cached + written + fresh!, total)
      }
      assert.equal(callFigures(manifest, { price: PRICE }).money, inNanos(expected.money))
      const silent = callFigures(manifest, { usage: { ...usage, cachedTokens: undefined } })
      if (silent.basis === 'reported')
        assert.deepEqual([silent.cached, silent.written, silent.fresh], [undefined, undefined, undefined])
      assert.equal(silent.money, undefined)
    }),
  )
})

function inNanos(dollars: number | undefined): number | undefined {
  return dollars === undefined ? undefined : Math.round(dollars * 1e9) / 1e9
}

test("an account in its provider's tokens adds up to what the provider counts, slot by slot and entry by entry", () => {
  fc.assert(
    fc.property(accounts, fc.nat(300_000), (account, total) => {
      fc.pre(account.used > 0)
      const { entries, slots, used, budget } = calibratedManifest(account, total)
      assert.equal(used, total)
      assert.equal(
        entries.reduce((sum, { tokens }) => sum + tokens, 0),
        total,
      )
      assert.equal(
        Object.values(slots).reduce((sum, tokens) => sum + tokens, 0),
        total,
      )
      for (const slot of SLOTS) {
        assert.equal(
          slots[slot],
          entries.reduce((sum, entry) => sum + (entry.slot === slot ? entry.tokens : 0), 0),
        )
      }
      assert.equal(budget.available + budget.margin + budget.reserve, budget.window)
    }),
  )
})

test('a model on a machine of its own costs nothing, which is not the same as a price that nobody knows', () => {
  assert.deepEqual(priceOfModel({ free: true }), { input: 0, output: 0 })
  assert.equal(priceOfModel({ price: PRICE, free: true }), PRICE)
  assert.equal(priceOfModel({}), undefined)
  assert.equal(priceOfModel(undefined), undefined)
})
