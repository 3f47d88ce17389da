import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUsageAdder, type UsageReport, type UsageSums } from '../src/capability.ts'
import { calibratedTokens, callCost, inNanos, numberText, type Price } from '../src/context.ts'
import { usageReport } from '../src/capabilities/costs/usage-report.ts'
import { dayIn } from '../src/capability/day-of.ts'
import { type CallRecord, figuresOfCall, openStore, type ToolSum } from '../src/session.ts'
import { realGateway, type RealGateway } from './end-to-end/gateway.ts'
import { catalogPrice, configuredPrice, numbers, usedGateway } from './end-to-end/used-gateway.ts'
import { call } from './cases/session-store-entries.ts'
import { systemClock } from '../src/platform.ts'

async function allCalls(gateway: RealGateway): Promise<readonly CallRecord[]> {
  const { calls } = await gateway.curl<{ calls: readonly { readonly id: string }[] }>('/api/calls?limit=1000')
  return await Promise.all(calls.toReversed().map(({ id }) => gateway.call(id)))
}

/** The same sums, made of the complete records. */
function sumsOf(calls: readonly CallRecord[]): UsageSums {
  const prices: Readonly<Record<string, Price>> = {
    'openai/scripted': configuredPrice,
    'anthropic/claude-sonnet-4-6': catalogPrice,
    'ollama/scripted': { input: 0, output: 0 },
  }
  const reports = calls.map(({ model, outcome }) => ({ price: prices[model], usage: outcome?.usage }))
  const of = (name: 'promptTokens' | 'cachedTokens' | 'cacheWrittenTokens' | 'outputTokens') =>
    reports.reduce((sum, { usage }) => sum + (usage?.[name] ?? 0), 0)
  const complete = reports.filter(({ usage }) => usage?.promptTokens !== undefined && usage.outputTokens !== undefined)
  const priced = reports.flatMap(({ usage = {}, price }) => callCost(usage, price) ?? [])
  const [prompt, cached, written] = [of('promptTokens'), of('cachedTokens'), of('cacheWrittenTokens')]
  const undivided = reports
    .filter(({ usage }) => usage?.cachedTokens === undefined)
    .reduce((sum, { usage }) => sum + (usage?.promptTokens ?? 0), 0)
  return {
    calls: calls.length,
    unreported: calls.length - complete.length,
    unpriced: calls.length - priced.length,
    prompt,
    fresh: prompt - cached - written - undivided,
    cached,
    written,
    undivided,
    output: of('outputTokens'),
    ...(priced.length === 0 ? {} : { money: inNanos(priced.reduce((sum, money) => sum + inNanos(money), 0)) }),
  }
}

/** The report by one of the words that `UsageReport` distinguishes. */
type Report<By extends UsageReport['by']> = By extends 'layer' | 'tool'
  ? Extract<UsageReport, { readonly by: By }>
  : Exclude<UsageReport, { readonly by: 'layer' | 'tool' }>

test('totals and rows of usage are exactly the sums of what the calls reported', async (t) => {
  const gateway = await usedGateway(t)
  await gateway.say('without a price', { model: 'openai/unknown' })
  const calls = await allCalls(gateway)
  const expected = sumsOf(calls)
  assert.ok(calls.length > 14 && expected.unreported > 0 && expected.unpriced > 0 && expected.cached > 0)
  assert.ok(expected.money! > 0)
  const usage = <By extends UsageReport['by']>(by: By, query = '') =>
    gateway.curl<Report<By>>(`/api/usage?by=${by}${query}`)

  for (const by of ['day', 'model', 'session', 'layer', 'tool'] as const) {
    assert.deepEqual((await usage(by)).total, expected, by)
  }
  const { rows: models } = await usage('model')
  assert.equal(models.length, 4)
  for (const { key, ...row } of models) {
    assert.deepEqual(row, sumsOf(calls.filter(({ model }) => model === key)), key!)
  }
  const { rows: sessions } = await usage('session')
  assert.deepEqual(
    new Set(sessions.map(({ title }) => title)),
    new Set(['another session', 'message 1', 'without a price', undefined]),
  )
  for (const { key, title: _title, ...row } of sessions) {
    assert.deepEqual(row, sumsOf(calls.filter(({ session = null }) => session === key)), String(key))
  }
  const { rows: days } = await usage('day', '&zone=Asia/Kathmandu')
  assert.equal(
    days.reduce((sum, row) => sum + row.calls, 0),
    calls.length,
  )

  const layers = await usage('layer')
  const used = calls.reduce((sum, { manifest }) => sum + manifest.used, 0)
  assert.equal(layers.counted, used)
  // Those that reported nothing, too, have the size that their own pages show.
  const shown = calls.reduce((sum, made) => sum + figuresOfCall(made, undefined).total, 0)
  assert.equal(layers.expected, shown)
  assert.notEqual(shown, used)
  assert.equal(
    layers.rows.reduce((sum, { tokens }) => sum + tokens, 0),
    used,
  )
  for (const name of ['history', 'input', 'tools'])
    assert.ok(
      layers.rows.some(({ key }) => key === name),
      name,
    )
  const inTools = calls.flatMap(({ manifest }) => manifest.entries.filter(({ slot }) => slot === 'tools'))
  const tools = await usage('tool')
  assert.equal(
    tools.rows.reduce((sum, { definitions }) => sum + definitions, 0),
    inTools.reduce((sum, { tokens }) => sum + tokens, 0),
  )
  const reader = tools.rows.find(({ key }) => key === 'read_file')!
  const asked = calls.filter(({ session, outcome }) => session !== undefined && outcome?.finish === 'tool-calls').length
  assert.ok(asked > 0)
  assert.equal(reader.results, 2 * asked)

  // Two halves of the time are the whole.
  const middle = calls[Math.floor(calls.length / 2)]!.time
  const [before, since] = [await usage('model', `&to=${middle}`), await usage('model', `&from=${middle}`)]
  assert.deepEqual(before.total, sumsOf(calls.filter(({ time }) => time < middle)))
  assert.equal(before.total.calls + since.total.calls, calls.length)
  assert.equal(before.total.prompt + since.total.prompt, expected.prompt)

  // The rows that are not shown are added up.
  const one = await usage('model', '&limit=1')
  assert.deepEqual([one.rows.length, one.rest!.rows, one.rest!.calls], [1, 3, calls.length - one.rows[0]!.calls])

  // The command line answers from the same code, with and without the gateway.
  const printed = await gateway.foreword('usage', '--by', 'model', '--json')
  assert.deepEqual((JSON.parse(printed.stdout) as UsageReport).total, expected)
  const byLayer = (await gateway.foreword('usage', '--by', 'layer')).stdout.split('\n\n')[0]!.split('\n').slice(1)
  assert.deepEqual(
    byLayer.map((row) => row.split(/ {2,}/).at(-1)),
    layers.rows.map(({ tokens }) => numberText(calibratedTokens(tokens, shown, used))),
  )
  const table = await gateway.foreword('usage', '--since', '1d', '--by', 'tool')
  assert.match(table.stdout, /tool +offered +definitions +results +result tokens\n(?:.*\n)*read_file/)
  assert.match(table.stdout, /calls? without a known price or a complete report: not in the money/)
})

test('a query about usage that could not be meant is refused with a reason', async (t) => {
  const gateway = await realGateway(t, {})
  for (const query of ['by=colour', 'from=yesterday', 'zone=Mars/Base', 'limit=0']) {
    await assert.rejects(gateway.curl(`/api/usage?${query}`), /invalid-input/, query)
  }
  const { total, rows } = await gateway.curl<UsageReport>('/api/usage')
  assert.deepEqual([total.calls, total.money, rows], [0, undefined, []])
  const failed = await gateway.foreword('usage', '--by', 'colour')
  assert.match(failed.stderr, /--by must be one of day, model/)
  assert.match((await gateway.foreword('usage')).stderr, /No calls yet/)
})

test('a day begins where its time zone says', () => {
  const day = dayIn('Asia/Kathmandu')
  assert.equal(day('2026-01-31T18:14:59.999Z'), '2026-01-31')
  assert.equal(day('2026-01-31T18:15:00.000Z'), '2026-02-01')
  const berlin = dayIn('Europe/Berlin')
  assert.deepEqual(
    [
      '2026-03-28T22:59:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T21:59:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ].map(berlin),
    ['2026-03-28', '2026-03-29', '2026-03-29', '2026-03-30'],
  )
})

test('a call without a report or without a price is counted and adds no money', () => {
  const adder = createUsageAdder()
  const sum = { number: 1, time: '', model: 'm', used: 0 }
  adder.add(sum, catalogPrice)
  adder.add({ ...sum, promptTokens: 10, outputTokens: 1 }, undefined)
  assert.deepEqual([adder.sums().unreported, adder.sums().unpriced, adder.sums().money], [1, 2, undefined])
  adder.add(sum, { input: 0, output: 0 })
  assert.deepEqual([adder.sums().unreported, adder.sums().unpriced, adder.sums().money], [2, 2, 0])
  adder.add({ ...sum, promptTokens: 1_000_000, outputTokens: 0 }, catalogPrice)
  assert.deepEqual([adder.sums().calls, adder.sums().money], [4, 3])
})

test('many pages of calls are added up, whatever their order in the store', async (t) => {
  const store = await openStore({ clock: systemClock, path: ':memory:' })
  t.after(() => store.close())
  const next = numbers(3)
  const usage = { cachedTokens: undefined, cacheWrittenTokens: undefined, reasoningTokens: undefined }
  let prompt = 0
  for (let number = 0; number < 2_500; number += 1) {
    const promptTokens = next(1_000)
    prompt += promptTokens
    const time = new Date(Date.UTC(2026, 0, 1 + next(5))).toISOString()
    await store.putCall(
      call(`c${number}`, { time, outcome: { durationMs: 1, usage: { ...usage, promptTokens, outputTokens: 1 } } }),
    )
  }
  const { total, rows } = await usageReport({ store, priceOf: async () => undefined }, { by: 'day' })
  assert.deepEqual([total.calls, total.prompt, total.output, rows.length], [2_500, prompt, 2_500, 5])
  assert.deepEqual(
    rows.map(({ key }) => key),
    ['2026-01-05', '2026-01-04', '2026-01-03', '2026-01-02', '2026-01-01'],
  )
  const given: readonly ToolSum[] = await store.toolSums({})
  assert.deepEqual(given, [])
})
