import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  callPrice,
  type CallPrice,
  capability,
  costGroups,
  callCosts,
  costOfCalls,
  type CostReport,
  exactMoneyText,
  type Runtime,
} from '../src/capability.ts'
import { callCost, divideExactly } from '../src/context.ts'
import type { CallRecord } from '../src/session.ts'
import { createServer } from '../src/server.ts'
import { scriptedModel } from '../src/testing.ts'
import { realGateway } from './end-to-end/gateway.ts'
import { catalogPrice, configuredPrice, usedGateway } from './end-to-end/used-gateway.ts'
import { opened, tool } from './runtime/opened.ts'
import { costsOf } from './costs-of.ts'

const prices = { 'openai/scripted': configuredPrice, 'anthropic/claude-sonnet-4-6': catalogPrice }

/** What a call cost in nano-dollars by its record alone. */
function nanoOf({ model, outcome }: CallRecord): number | undefined {
  const own = model.startsWith('ollama/') || model === 'rehearsal' ? { input: 0, output: 0 } : undefined
  const price = Object.hasOwn(prices, model) ? prices[model as keyof typeof prices] : own
  const money = callCost(outcome?.usage ?? {}, price)
  return money === undefined ? undefined : Math.round(money * 1e9)
}

test('the rows of every grouping add up to the prices of the calls exactly, and calls without a price are counted', async (t) => {
  const gateway = await usedGateway(t)
  await gateway.say('without a price', { model: 'openai/unknown' })
  const { calls: listed } = await gateway.curl<{ calls: readonly { id: string }[] }>('/api/calls?limit=1000')
  const calls = await Promise.all(listed.map(({ id }) => gateway.call(id)))
  const costs = (by: string, query = '') => gateway.curl<CostReport>(`/api/costs?by=${by}${query}`)
  const expected = calls.reduce((all, call) => all + (nanoOf(call) ?? 0), 0)
  const unpriced = calls.filter((call) => nanoOf(call) === undefined).length
  assert.ok(expected > 0 && unpriced > 0)
  for (const by of [...costGroups, 'skill']) {
    const { rows, total } = await costs(by)
    assert.deepEqual([total.nanoDollars, total.calls, total.unpriced], [expected, calls.length, unpriced], by)
    assert.equal(sum(rows), expected, by)
    assert.ok(
      rows.every(({ nanoDollars }) => Number.isInteger(nanoDollars) && nanoDollars >= 0),
      by,
    )
    const [first, ...others] = rows
    const one = await costs(by, '&limit=1')
    assert.equal(sum(one.rows) + (one.rest?.nanoDollars ?? 0), expected, by)
    if (by !== 'day' && others.length > 0) assert.equal(one.rows[0]?.key, first?.key, by)
  }
  const { rows: perCall } = await costs('call')
  for (const { key, nanoDollars, money } of perCall) {
    const known = nanoOf(calls.find(({ id }) => id === key)!)
    assert.deepEqual([nanoDollars, money], [known ?? 0, known === undefined ? undefined : known / 1e9], key!)
  }
  const keys = async (by: string) => (await costs(by)).rows.map(({ key }) => key)
  const layers = await keys('layer')
  for (const name of ['history', 'input', 'tools', 'answer']) assert.ok(layers.includes(name), name)
  const tools = (await costs('tool')).rows
  assert.ok(tools.find(({ key }) => key === 'read_file')!.nanoDollars > 0)
  const { session } = calls.find((call) => call.session !== undefined)!
  const own = calls.filter((call) => call.session === session)
  assert.equal(
    (await costs('model', `&session=${session}`)).total.nanoDollars,
    own.reduce((all, call) => all + (nanoOf(call) ?? 0), 0),
  )

  assert.deepEqual(
    (await costs('turn', `&session=${session}`)).rows.reduce((all, { calls: some }) => all + some, 0),
    own.length,
  )
  const downloaded = await fetch(`${gateway.url}/api/costs?by=model&format=csv`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  })
  assert.equal(downloaded.headers.get('content-disposition'), 'attachment; filename="costs-by-model.csv"')
  assert.match(await downloaded.text(), /^model,title,calls,unpriced,usd,saved_usd,waiting\n/)
  for (const call of calls) {
    const { paid, entries } = await gateway.curl<{ paid?: CallPrice; entries: readonly unknown[] }>(
      `/api/calls/${call.id}/manifest`,
    )
    const nano = nanoOf(call)
    assert.equal(paid === undefined, nano === undefined)
    if (paid === undefined) continue
    const units = (money: readonly number[]) => money.reduce((all, each) => all + Math.round(each * 1e9), 0)
    assert.equal(units([paid.money]), nano)
    assert.equal(units(Object.values(paid.parts)), nano)
    assert.equal(paid.entries.length, entries.length)
    assert.equal(units([...paid.entries, paid.parts.output]), nano)
  }

  const { calls: rowsOfSession } = await gateway.curl<{ calls: readonly { id: string; cost?: number }[] }>(
    `/api/sessions/${session}/calls`,
  )
  for (const { id, cost } of rowsOfSession) {
    const known = nanoOf(calls.find((call) => call.id === id)!)
    assert.equal(cost === undefined ? undefined : Math.round(cost * 1e9), known, id)
  }

  const printed = await gateway.foreword('costs', '--by', 'layer', '--json')
  assert.equal((JSON.parse(printed.stdout) as CostReport).total.nanoDollars, expected)
  const csv = await gateway.foreword('costs', '--by', 'tool', '--csv')
  const lines = csv.stdout.trim().split('\n')
  assert.equal(lines[0], 'tool,title,calls,unpriced,usd,saved_usd,waiting')
  const nano = lines.slice(1, -1).map((line) => Math.round(Number(line.split(',')[4] || 0) * 1e9))
  assert.equal(
    nano.reduce((all, each) => all + each, 0),
    expected,
  )
  assert.match(lines.at(-1)!, /^\(total\),/)
  const table = await gateway.foreword('costs', '--by', 'model', '--since', '1d')
  assert.match(table.stdout, /ollama\/scripted +\d+ +\$0 +0\.0 %\n/)
  assert.match(table.stdout, /Caches (saved|cost) \$/)
  assert.match(table.stdout, /without a known price or a complete report: not in the money/)

  for (let n = 0; n < 4; n += 1) {
    const answer = await gateway.openai.chat.completions.create({
      model: 'openai/scripted',
      messages: [{ role: 'user', content: 'alone again' }],
    })
    const { calls: made, cost } = (answer as unknown as { foreword: { calls: string[]; cost?: number } }).foreword
    assert.equal(cost === undefined ? undefined : Math.round(cost * 1e9), nanoOf(await gateway.call(made[0]!)))
  }
})

test('what was read from a cache has the price of that, and what the cache saved is said', async (t) => {
  const usage = { promptTokens: 10_000, cachedTokens: 6_000, cacheWrittenTokens: 0, outputTokens: 100 }
  const gateway = await realGateway(
    t,
    { answer: () => ({ text: 'yes', usage }) },
    { models: { 'openai/scripted': { window: 100_000, price: configuredPrice } } },
  )
  await gateway.say('hello', { model: 'openai/scripted' })
  const { total, rows } = await gateway.curl<CostReport>('/api/costs?by=layer')
  const { input, cachedInput = 0, output } = configuredPrice
  const expected = (4_000 * input + 6_000 * cachedInput + 100 * output) * 1_000
  assert.equal(total.nanoDollars, Math.round(expected))
  assert.equal(total.savedNanoDollars, Math.round(6_000 * (input - cachedInput) * 1_000))
  assert.equal(rows.find(({ key }) => key === 'answer')?.nanoDollars, Math.round(100 * output * 1_000))
})

test('sessions say what they cost where it is asked for, and the next call says what it may cost', async (t) => {
  const usage = { promptTokens: 10_000, cachedTokens: 6_000, cacheWrittenTokens: 0, outputTokens: 100 }
  const gateway = await realGateway(
    t,
    { answer: () => ({ text: 'yes', usage }) },
    {
      models: {
        'openai/scripted': { window: 100_000, maxOutput: 4_000, price: configuredPrice },
        'openai/unknown': { free: false },
      },
    },
  )
  const { session } = await gateway.say('hello', { model: 'openai/scripted' })
  await gateway.say('and without a price', { model: 'openai/unknown', session })
  const { total } = await gateway.curl<CostReport>(`/api/costs?by=session&session=${session}`)
  assert.ok(total.money !== undefined && total.money > 0)
  assert.deepEqual([total.calls, total.unpriced], [2, 1])

  // Only a list that is asked for money adds calls up.
  const list = async (query: string) =>
    (await gateway.curl<{ sessions: readonly { cost?: unknown }[] }>(`/api/sessions${query}`)).sessions[0]!.cost
  assert.equal(await list(''), undefined)
  assert.deepEqual(await list('?cost=true'), total)
  assert.deepEqual((await gateway.curl<{ cost: unknown }>(`/api/sessions/${session}?cost=true`)).cost, total)
  assert.deepEqual(JSON.parse((await gateway.foreword('sessions', '--json')).stdout).cost, total)
  const { stdout } = await gateway.foreword('sessions')
  assert.match(stdout, /^session +last activity +turns +cost +model +title\n/)
  assert.ok(stdout.includes(`  ${exactMoneyText(total.money)}+  `), stdout)
  assert.match(stdout, /\n\n1 call without a known price or a complete report: not in the costs/)

  const context = await gateway.foreword('context', session, '--model', 'openai/scripted')
  const { cost, manifest } = JSON.parse(
    (await gateway.foreword('context', session, '--model', 'openai/scripted', '--json')).stdout,
  )
  const answer = (manifest.budget.reserve * configuredPrice.output) / 1e6
  assert.deepEqual(cost, { least: manifest.forecast.money, most: manifest.forecast.money + answer, answer })
  assert.ok(
    context.stdout.includes(`\nThe next call costs ${exactMoneyText(cost.least)} to ${exactMoneyText(cost.most)}: `),
    context.stdout,
  )
  const unknown = (await gateway.foreword('context', session, '--model', 'openai/unknown')).stdout
  assert.match(
    unknown,
    /\nThe next call: [\d,]+ tokens \([\d,]+ from the cache, [\d,]+ new\); the model has no price\. Nine prompts in ten have [\d,]+ to [\d,]+ tokens\.\n$/,
  )
})

test('a message is counted for its channel, its token and the agent of its session, and a skill for what it took', async (t) => {
  const usage = {
    promptTokens: 1_000,
    cachedTokens: 100,
    cacheWrittenTokens: 200,
    outputTokens: 50,
    reasoningTokens: undefined,
  }
  const reader = tool('read_skill', async () => ({ ok: true, output: 'Fold the paper. '.repeat(40) }))
  const model = scriptedModel({
    facts: { price: catalogPrice },
    answer: (_, n) =>
      n === 1 ? { toolCalls: [{ name: 'read_skill', input: { name: 'origami' } }], usage } : { usage },
  })
  const { runtime, say, store } = await opened(t, {
    model,
    tools: [reader],
    capabilities: [capability({ name: 'reading', summary: 'reads', reports: { costGroups: { skill: 'read_skill' } } })],
  })
  const first = await say('one', { token: 'laptop', channel: 'telegram' })
  await store.append(first.session, [{ type: 'choice', choice: 'agent', value: 'clerk' }], '2026-01-05T12:00:00.000Z')
  await say('two', { token: 'phone' })
  await say('three', { session: first.session })
  const each = 700 * 3 * 1_000 + 100 * 0.3 * 1_000 + 200 * 3.75 * 1_000 + 50 * 15 * 1_000
  const by = async (group: 'token' | 'channel' | 'agent' | 'skill' | 'turn') =>
    new Map((await costsOf(runtime).costs({ by: group })).rows.map(({ key, nanoDollars }) => [key, nanoDollars]))
  const tokens = await by('token')
  assert.deepEqual(
    [tokens.get('laptop'), tokens.get('phone'), tokens.get(null), tokens.size],
    [2 * each, each, each, 3],
  )
  assert.deepEqual((await by('channel')).get('telegram'), 2 * each)
  assert.deepEqual((await by('agent')).get('clerk'), each)
  assert.equal((await by('turn')).size, 3)
  const skills = await by('skill')
  assert.ok(skills.get('origami')! > 0)
  assert.equal(skills.get('origami')! + skills.get(null)!, 4 * each)
  const { total } = await costsOf(runtime).costs({ by: 'day' })
  assert.equal(total.savedNanoDollars, 4 * (100 * 2.7 - 200 * 0.75) * 1_000)
})

test('a question about costs that could not be meant is refused', async (t) => {
  const gateway = await realGateway(t, {})
  for (const query of ['by=colour', 'from=yesterday', 'zone=Mars/Base', 'limit=0']) {
    await assert.rejects(gateway.curl(`/api/costs?${query}`), /invalid-input/, query)
  }
  assert.match((await gateway.foreword('costs', '--by', 'colour')).stderr, /--by must be one of day, model/)
  assert.match((await gateway.foreword('costs', '--csv', '--json')).stderr, /one of --json and --csv/)
  assert.match((await gateway.foreword('costs')).stderr, /No calls yet/)
})

test('an integer is divided without a rest, by any weights', () => {
  for (let round = 1; round < 500; round += 1) {
    const weights = Array.from(
      { length: 1 + (round % 9) },
      (_, index) => ((round * 7919 + index * 104_729) % 1_000) / 7,
    )
    const whole = (round * 15_485_863) % 1_000_003
    const parts = divideExactly(whole, weights)
    assert.equal(
      parts.reduce((all, each) => all + each, 0),
      whole,
    )
    const all = weights.reduce((sum_, each) => sum_ + each, 0)
    if (all > 0) parts.forEach((part, index) => assert.ok(Math.abs(part - (whole * weights[index]!) / all) <= 1))
  }
  assert.deepEqual(divideExactly(5, [0, 0]), [0, 5])
})

test('money below one cent is shown with the digits that say something', () => {
  const shown = [0, 0.0042, 0.00000123, 0.05, 0.41, 12.3].map(exactMoneyText)
  assert.deepEqual(shown, ['$0', '$0.0042', '$0.0000012', '$0.0500', '$0.41', '$12.30'])
})

function sum(rows: readonly { readonly nanoDollars: number }[]): number {
  return rows.reduce((all, { nanoDollars }) => all + nanoDollars, 0)
}

test('a call costs what its model cost on its day', async (t) => {
  const usage = { promptTokens: 1_000_000, outputTokens: 0 }
  const [before, now] = [
    { input: 2, output: 0 },
    { input: 1, output: 0, since: '2026-01-06' },
  ]
  const model = scriptedModel({
    id: 'dated',
    facts: { price: { ...now, before } },
    answer: () => ({ text: 'Yes.', usage }),
  })
  const { runtime, say, clock, store } = await opened(t, { model })
  const { session } = await say('On Monday.')
  await clock.advance(24 * 3_600_000)
  await say('On Tuesday.', { session })
  const { rows, total } = await costsOf(runtime).costs({ by: 'day' })
  assert.deepEqual(
    rows.map(({ money }) => money),
    [1, 2],
  )
  assert.equal(total.money, 3)
  assert.equal((await costsOf(runtime).usage({ by: 'session' })).total.money, 3)
  const calls = await store.calls(session)
  const paid = await Promise.all(calls.map((call) => callPrice(runtime, call)))
  assert.deepEqual(
    paid.map((price) => price?.money),
    [2, 1],
  )
  assert.equal(
    await costOfCalls(
      runtime,
      calls.map(({ id }) => id),
    ),
    3,
  )
})

test('what a call cost is the same number wherever it is given', async (t) => {
  const usage = { promptTokens: 174, cachedTokens: 100, outputTokens: 7 }
  const price = { input: 1, cachedInput: 0.1, output: 5 }
  const model = scriptedModel({ id: 'exact', facts: { price }, answer: () => ({ text: 'Yes.', usage }) })
  const { runtime, say, store } = await opened(t, { model })
  const { session } = await say('hello')
  const [call] = await store.calls(session)
  const { total } = await costsOf(runtime).costs({ by: 'call' })
  const given = [await costOfCalls(runtime, [call!.id]), (await callPrice(runtime, call!))?.money, total.money]
  assert.deepEqual(given, [0.000119, 0.000119, 0.000119])
})

test('a call of a free model without a report costs nothing in a list of calls, as in the sums', async (t) => {
  const model = scriptedModel({ id: 'own', facts: { free: true }, answer: () => ({ text: 'Yes.' }) })
  const { runtime, say, store } = await opened(t, { model })
  const { session } = await say('hello')
  const calls = await store.calls(session)
  assert.equal(calls[0]!.outcome?.usage?.promptTokens, undefined)
  const costOf = await callCosts(runtime, calls)
  const { total } = await costsOf(runtime).costs({ by: 'call' })
  assert.deepEqual([costOf(calls[0]!), total.money, total.unpriced], [0, 0, 0])
})

test('a store with a count that no call can have is read: the pages of costs and of usage stay open', async (t) => {
  const model = scriptedModel({
    id: 'boasting',
    facts: { price: configuredPrice },
    answer: () => ({ text: 'Yes.', usage: { promptTokens: 1e18, outputTokens: 1e18 } }),
  })
  const { runtime, say, store } = await opened(t, { model })
  const { session } = await say('hello')
  for (const by of costGroups) {
    const { rows, total } = await costsOf(runtime).costs({ by })
    assert.ok(
      [total, ...rows].every(({ nanoDollars }) => Number.isSafeInteger(nanoDollars)),
      by,
    )
  }
  const { total } = await costsOf(runtime).usage({ by: 'session' })
  assert.ok(Number.isFinite(total.prompt))
  const [call] = await store.calls(session)
  assert.equal((await callPrice(runtime, call!))?.money, undefined)
})

test('where costs are left out of the list, sessions are listed and texts are checked without their money', async (t) => {
  const { runtime, say } = await opened(t, { model: scriptedModel({ facts: { price: catalogPrice } }) })
  await say('one')
  const without = Object.assign(Object.create(runtime) as Runtime, { capability: () => undefined })
  const server = createServer(without, { bind: '127.0.0.1', version: '0' })
  const ask = async (path: string): Promise<unknown> =>
    (await server.fetch(new Request(`http://127.0.0.1${path}`))).json()
  const { sessions } = (await ask('/api/sessions?cost=true')) as { readonly sessions: readonly object[] }
  assert.deepEqual(
    sessions.map((session) => 'cost' in session),
    [false],
  )
  const { calls } = (await ask('/api/lint')) as { readonly calls: number }
  assert.equal(calls, 1)
})
