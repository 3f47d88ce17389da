import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsageReport } from '../src/capability.ts'
import { watchPauses } from '../src/platform.ts'
import { createRunningSums } from '../src/runtime/running-sums.ts'
import { metricsText } from '../src/server/metrics-text.ts'
import { openStore, type CallRecord } from '../src/session.ts'
import { fixedClock } from '../src/testing.ts'
import { call, input, start, turnEnd } from './cases/session-store-entries.ts'
import { realGateway } from './end-to-end/gateway.ts'
import { usedGateway } from './end-to-end/used-gateway.ts'
import { type ParsedMetric, parseMetrics } from './kit/parsed-metrics.ts'

interface Scraped {
  readonly url: string
  readonly token: string
}

/** As Prometheus asks. */
async function scrape({ url, token }: Scraped): Promise<ReadonlyMap<string, ParsedMetric>> {
  const response = await fetch(`${url}/metrics`, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1',
    },
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  return parseMetrics(await response.text())
}

const of = (metrics: ReadonlyMap<string, ParsedMetric>, name: string) =>
  metrics.get(name)?.samples ?? new Map<string, number>()

test('the figures of /metrics are those of `foreword usage`, by model, and stay when their sessions are deleted', async (t) => {
  const gateway = await usedGateway(t)
  await gateway.say('without a price', { model: 'openai/unknown' })
  const report = JSON.parse((await gateway.foreword('usage', '--by', 'model', '--json')).stdout) as UsageReport
  assert.ok(report.by === 'model' && report.rows.length === 4)
  const metrics = await scrape(gateway)
  for (const { key, ...row } of report.rows) {
    const label = `model=${key}`
    const at = (name: string) => of(metrics, name).get(label)
    assert.deepEqual(
      [at('foreword_calls_total'), at('foreword_calls_unreported_total'), at('foreword_calls_unpriced_total')],
      [row.calls, row.unreported, row.unpriced],
      label,
    )
    assert.equal(at('foreword_cost_dollars_total'), row.money ?? 0, label)
    for (const kind of ['fresh', 'cached', 'written', 'undivided', 'output'] as const)
      assert.equal(of(metrics, 'foreword_tokens_total').get(`kind=${kind} ${label}`), row[kind], `${label} ${kind}`)
  }
  assert.equal(of(metrics, 'foreword_turns_total').get('outcome=completed'), 11)
  assert.equal(of(metrics, 'foreword_turns_total').get('outcome=failed'), 0)
  assert.deepEqual([...of(metrics, 'foreword_turns_running').values()], [0])
  assert.deepEqual([...of(metrics, 'foreword_ready').values()], [1])
  assert.ok(of(metrics, 'foreword_store_bytes').get('')! > 4096)
  assert.ok(of(metrics, 'process_resident_memory_bytes').get('')! > 1e6)

  const { sessions } = await gateway.curl<{ sessions: readonly { id: string }[] }>('/api/sessions')
  for (const { id } of sessions) {
    const headers = { authorization: `Bearer ${gateway.token}` }
    assert.equal((await fetch(`${gateway.url}/api/sessions/${id}`, { method: 'DELETE', headers })).status, 204)
  }
  const [one, other] = await Promise.all([scrape(gateway), scrape(gateway)])
  for (const after of [one, other])
    for (const [name, { type, samples }] of metrics)
      if (type === 'counter')
        for (const [key, value] of samples)
          assert.ok(after.get(name)!.samples.get(key)! >= value, `${name} ${key} fell`)
  assert.deepEqual(one.get('foreword_tokens_total'), metrics.get('foreword_tokens_total'))
})

test('/metrics needs a token that may read, and names a provider that fails, but no words of anybody', async (t) => {
  const words = 'a sentence that nobody else has to read'
  const gateway = await realGateway(
    t,
    { answer: () => ({ status: 401, body: { error: { message: words } } }) },
    {
      model: 'openai/scripted',
      agent: { retryForMs: 0 },
      models: { 'openai/scripted': { fallback: ['ollama/scripted'] } },
    },
  )
  await gateway.say(words)
  assert.equal((await fetch(`${gateway.url}/metrics`)).status, 401)
  const text = await (
    await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${gateway.token}` } })
  ).text()
  const metrics = parseMetrics(text)
  assert.equal(of(metrics, 'foreword_turns_total').get('outcome=failed'), 1)
  assert.equal(of(metrics, 'foreword_provider_breaker').get('provider=openai state=open'), 1)
  assert.equal(of(metrics, 'foreword_provider_breaker').get('provider=openai state=closed'), 0)
  assert.ok(!text.includes(words) && !text.includes(gateway.token) && !text.includes(gateway.home))
})

test('names that a caller chose are escaped, and read back as they were', () => {
  const models = ['plain', 'a "quoted" one', 'back\\slash', 'two\nlines', 'ends with \\', '€ {model="x"}', '']
  const text = metricsText([
    {
      name: 'a_total',
      help: 'with \\ and\na line',
      type: 'counter',
      samples: models.map((model, value) => ({ value, labels: { model } })),
    },
    { name: 'b', help: 'b', type: 'gauge', samples: [] },
    { name: 'c', help: 'c', type: 'gauge', samples: [{ value: Infinity }] },
    { name: 'd', help: 'd', type: 'gauge', samples: [{ value: 1e-9, labels: { a: '1', b: '2' } }] },
  ])
  const metrics = parseMetrics(text)
  assert.deepEqual(
    [...of(metrics, 'a_total')],
    models.map((model, value) => [`model=${model}`, value]),
  )
  assert.deepEqual([...metrics.keys()], ['a_total', 'c', 'd'])
  assert.deepEqual([of(metrics, 'c').get(''), of(metrics, 'd').get('a=1 b=2')], [Infinity, 1e-9])
})

const outcome = (promptTokens: number): NonNullable<CallRecord['outcome']> => ({
  usage: {
    promptTokens,
    outputTokens: 1,
    cachedTokens: undefined,
    cacheWrittenTokens: undefined,
    reasoningTokens: undefined,
  },
  durationMs: 1,
})

/** A store whose reads are counted, with calls of before. */
async function usedStore(before: number) {
  const clock = fixedClock({ start: '2026-01-01T00:00:00.000Z' })
  const store = await openStore({ clock, path: ':memory:' })
  await store.append('s', [start], clock.time())
  for (let n = 0; n < before; n += 1)
    await store.putCall({ ...call(`old-${n}`, { session: 's' }), time: clock.time(), outcome: outcome(1) })
  await clock.advance(60_000)
  const reads = { sums: 0, calls: 0 }
  const counted: typeof store = {
    ...store,
    callSums: (options) => {
      reads.sums += 1
      return store.callSums(options)
    },
    call: (id) => {
      reads.calls += 1
      return store.call(id)
    },
  }
  const sums = createRunningSums({ store: counted, priceOf: async () => undefined })
  const begin = (id: string, model = 'm') => store.putCall({ ...call(id, { session: 's' }), model, time: clock.time() })
  const read = async () => (await sums.read()).calls.map(({ model, calls, prompt }) => [model, calls, prompt])
  return { clock, store, sums, reads, begin, read }
}

test('a read costs the same however many calls there were before, and each call is counted once, when it has ended', async () => {
  const { clock, store, reads, begin, read } = await usedStore(1_000)
  assert.deepEqual(await read(), [])
  assert.deepEqual(reads, { sums: 1, calls: 0 })
  await begin('a')
  assert.deepEqual(await read(), [])
  await clock.advance(1_000)
  await begin('b')
  await store.finishCall('b', outcome(20))
  assert.deepEqual(await read(), [['m', 1, 20]])
  await store.finishCall('a', outcome(300))
  assert.deepEqual(await read(), [['m', 2, 320]])
  assert.deepEqual(await read(), [['m', 2, 320]])
  assert.deepEqual(reads, { sums: 6, calls: 0 })
  // Written behind a later one, and one that was imported.
  await store.putCall({
    ...call('late', { session: 's' }),
    model: 'm',
    time: '2026-01-01T00:01:00.500Z',
    outcome: outcome(4_000),
  })
  await store.putCall({
    ...call('imported', { session: 's' }),
    model: 'm',
    time: '2025-01-01T00:00:00.000Z',
    outcome: outcome(50_000),
  })
  assert.deepEqual(await read(), [['m', 3, 4320]])
})

test('turns are counted by how they ended, imported ones are not, and models beyond the hundredth share one row', async () => {
  const { clock, store, sums, begin, read } = await usedStore(0)
  await store.append('s', [input('t1'), turnEnd('t1'), input('t2'), turnEnd('t2', { type: 'cancelled' })], clock.time())
  await store.append('old', [start, input('t1'), turnEnd('t1')], '2025-01-01T00:00:00.000Z')
  const { turns } = await sums.read()
  assert.deepEqual([turns.completed, turns.cancelled, turns.failed], [1, 1, 0])
  for (let n = 0; n < 102; n += 1) {
    await begin(`c${n}`, `model-${n}`)
    await store.finishCall(`c${n}`, outcome(1))
  }
  const rows = await read()
  assert.deepEqual([rows.length, rows.at(-1)], [101, [null, 2, 2]])
})

test('a pause of the event loop is in the bucket of its length', async () => {
  let now = 0
  let look = () => {}
  const pauses = watchPauses({ monotonic: () => now, every: (_, work) => ((look = work), () => {}) })
  for (const late of [0, 30, 700]) {
    now += 50 + late
    look()
  }
  const { buckets, sum } = pauses()
  assert.equal(sum, 0.73)
  assert.deepEqual(
    buckets.map(({ bound, count }) => [bound, count]),
    [
      [0.01, 1],
      [0.025, 1],
      [0.05, 2],
      [0.1, 2],
      [0.25, 2],
      [0.5, 2],
      [1, 3],
      [2.5, 3],
      [Infinity, 3],
    ],
  )
})
