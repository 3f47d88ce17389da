import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providers } from '../../src/capabilities/providers.ts'
import { priceProblems } from '../../src/model.ts'

test('no row of a catalog contradicts itself, and each says since when and from where', () => {
  const rows = Object.values(providers).flatMap(({ catalog = [] }) => catalog)
  assert.ok(rows.length > 20)
  for (const row of rows) {
    assert.deepEqual(priceProblems(row), [], row.id)
    assert.match(row.date, /^\d{4}-\d{2}-\d{2}$/, row.id)
    assert.match(row.source, /^https:\/\//, row.id)
    if (row.cache.kind === 'marked') assert.ok(row.price.cachedInput !== undefined, row.id)
  }
})

test('what contradicts itself is named', () => {
  const cache = { kind: 'marked', minimumTokens: 1024, lifetimeSeconds: 300 } as const
  const of = (price: object, rules: object = {}) =>
    priceProblems({ price: { input: 2, output: 10, ...price }, cache: { ...cache, ...rules } }).join('\n')
  assert.equal(of({ cachedInput: 0.2, cacheWrite: 2.5 }), '')
  assert.match(of({ cachedInput: 3, cacheWrite: 2.5 }), /cachedInput is 3, more than price\.input/)
  assert.match(of({ cacheWrite: 1 }), /cacheWrite is 1, less than/)
  assert.match(of({}), /cacheWrite is missing/)
  assert.match(of({ cacheWrite: 2.5 }, { kind: 'automatic' }), /reports no writes/)
  assert.match(of({ cacheWrite: 2.5, input: -1 }), /price\.input is -1/)
  assert.match(of({ cacheWrite: 2.5 }, { lifetimeSeconds: 0 }), /lives no time/)
  assert.match(of({ cacheWrite: 2.5, above: { tokens: 10, price: { input: 1, output: 1 } } }), /above 10 tokens: /)
})
