import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anthropic, openai, openaiCompatible, providers } from '../../src/capabilities/providers.ts'
import { priceAt, callCost } from '../../src/context.ts'
import { createModels, endedPromises, priceProblems } from '../../src/model.ts'
import { catalogFacts } from '../../src/model/catalog.ts'
import { fixedClock } from '../../src/testing.ts'

const UNREPORTED_USAGE = { cachedTokens: undefined, cacheWrittenTokens: undefined }

test('no row of a catalog contradicts itself, and each says since when and from where', () => {
  const rows = Object.values(providers).flatMap(({ catalog = [] }) => catalog)
  assert.ok(rows.length > 20)
  for (const row of rows) {
    assert.deepEqual(priceProblems(row), [], row.id)
    assert.match(row.date, /^\d{4}-\d{2}-\d{2}$/, row.id)
    assert.match(row.source, /^https:\/\//, row.id)
    assert.ok(row.price.until === undefined || row.date <= row.price.until, row.id)
    const later = rows.slice(rows.indexOf(row) + 1).find(({ id, host }) => id === row.id && host === row.host)
    // Each row of a model says from when on it holds instead of the one before it.
    if (later) assert.ok(later.price.since !== undefined && later.price.since > (row.price.since ?? ''), row.id)
    if (row.cache?.kind === 'marked') assert.ok(row.price.cachedInput !== undefined, row.id)
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

const LATE = '2027-01-01T00:00:00.000Z'

test('above 272,000 tokens every model of OpenAI with the large window costs twice, reads and writes too', () => {
  const large = (openai.catalog ?? []).filter(({ window, id }) => window > 1_000_000 && id.startsWith('gpt-5.'))
  const newer = (openai.catalog ?? []).filter(({ id }) => id.startsWith('gpt-6'))
  assert.ok(large.length >= 6 && newer.length >= 7)
  for (const { id, price } of [...large, ...newer]) {
    assert.equal(price.above?.tokens, 272_000, id)
    const usage = { ...UNREPORTED_USAGE, cachedTokens: 200_000, outputTokens: 0 }
    const writes = price.cacheWrite === undefined ? {} : { cacheWrittenTokens: 50_000 }
    const dollars = (promptTokens: number) => callCost({ ...usage, ...writes, promptTokens }, price)!
    const rate = 200_000 * price.cachedInput! + (price.cacheWrite ?? price.input) * 50_000
    assert.ok(Math.abs(dollars(272_000) * 1e6 - rate - 22_000 * price.input) < 1e-3, id)
    assert.ok(Math.abs(dollars(272_001) * 1e6 - 2 * (rate + 22_001 * price.input)) < 1e-3, id)
  }
})

test('a price can have several tiers', () => {
  const [low, middle, high] = [1, 2, 3].map((input) => ({ input, output: 0 }))
  const price = { ...low!, above: { tokens: 100, price: { ...middle!, above: { tokens: 200, price: high! } } } }
  const costs = [100, 101, 200, 201].map((promptTokens) =>
    callCost({ ...UNREPORTED_USAGE, promptTokens, outputTokens: 0 }, price),
  )
  assert.deepEqual(costs, [100e-6, 202e-6, 400e-6, 603e-6])
  const wrong = { ...price, above: { tokens: 300, price: price.above.price } }
  assert.match(priceProblems({ price: wrong }).join(), /not more than price\.above\.tokens/)
})

test('a row holds from its day on, and a call before it costs what it cost then', () => {
  const at = (time: string) => catalogFacts(anthropic.catalog, 'claude-sonnet-5-5', { host: undefined, time })?.price
  assert.equal(at('2026-10-06T23:59:59.999Z')?.cachedInput, 0.2)
  const now = at('2026-10-07T00:00:00.000Z')!
  assert.equal(now.cachedInput, 0.1)
  assert.equal(priceAt(now, '2026-10-06T12:00:00.000Z').cachedInput, 0.2)
  assert.equal(priceAt(now, '2026-10-08T12:00:00.000Z').cachedInput, 0.1)
})

test('rows of a vendor hold at its host alone', async () => {
  const clock = fixedClock({ start: '2026-11-28T10:00:00.000Z' })
  const models = createModels({
    clock,
    known: [openaiCompatible],
    fetch: () => Promise.reject(new Error('not asked')),
    providers: {
      gemini: { kind: 'openai-compatible', baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai' },
      other: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:9/v1' },
    },
  })
  const facts = async (provider: string) => (await models.model(`${provider}/models/gemini-3.8-flash`)).facts
  const { price, source } = await facts('gemini')
  assert.deepEqual([price?.input, price?.until, source], [0.75, '2026-12-31', 'catalog'])
  assert.equal((await facts('other')).price, undefined)
  // What is promised until the end of the year costs more from the next day on, also where the gateway runs on.
  await clock.advance(Date.parse(LATE) - Date.parse(clock.time()))
  const later = (await facts('gemini')).price!
  assert.deepEqual([later.input, priceAt(later, '2026-12-31T23:00:00.000Z').input], [1.5, 0.75])
})

test('a promise that has run out is found, unless a later row takes its place', () => {
  const rows = openaiCompatible.catalog!
  assert.deepEqual(endedPromises(rows, '2099-01-01'), [])
  const alone = rows.filter(({ price }) => price.until !== undefined)
  assert.deepEqual(endedPromises(alone, '2026-12-31'), [])
  assert.equal(endedPromises(alone, '2027-01-01').length, alone.length)
  const [row] = alone
  assert.match(priceProblems(row!, '2027-01-01').join(), /price\.until is 2026-12-31: what was promised is over/)
  assert.deepEqual(priceProblems(row!, '2026-12-31'), [])
})

test('a list of models says what reads and writes cost, as OpenRouter lists them', async () => {
  const pricing = {
    prompt: '0.000003',
    completion: '0.000015',
    input_cache_read: '3e-7',
    input_cache_write: '0.00000375',
  }
  const models = createModels({
    clock: fixedClock(),
    known: [openaiCompatible],
    fetch: async () => Response.json({ data: [{ id: 'a/b', context_length: 200_000, pricing }] }),
    providers: { router: { kind: 'openai-compatible', baseURL: 'https://openrouter.ai/api/v1' } },
  })
  const { price } = (await models.model('router/a/b')).facts
  assert.deepEqual(price, { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 })
})
