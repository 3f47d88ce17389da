import assert from 'node:assert/strict'
import test from 'node:test'
import { callPrice, costGroups, costOfCalls, exactMoneyText } from '../../src/capability.ts'
import { recordedCalls, send, startGateway } from './gateway.ts'
import { startVendor } from './vendor.ts'
import { costsOf } from '../costs-of.ts'

/** By this price a call of 1,000 tokens and 100 costs $0.0012. */
const models = { 'router/priced': { window: 100_000, price: { input: 1, output: 2 } } }

/** A chunk of Chat Completions with the usage, as OpenRouter sends it at the end. */
const chunks = (cost: unknown) =>
  [
    { choices: [{ index: 0, delta: { content: 'Hello.' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100, cost } },
  ]
    .map((chunk) => `data: ${JSON.stringify({ id: 'gen-1', object: 'chat.completion.chunk', ...chunk })}\n\n`)
    .join('')

test('the cost in the head of an answer in one piece is what a call of another program cost; a stream costs what its tokens do', async (t) => {
  const vendor = await startVendor(t, ({ body }, outgoing) => {
    const streams = body.includes('"stream":true')
    const whole = { choices: [{ message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }] }
    const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 }
    const type = streams ? 'text/event-stream' : 'application/json'
    outgoing.writeHead(200, { 'content-type': type, 'x-litellm-response-cost': '0.0031' })
    outgoing.end(streams ? `${chunks(undefined)}data: [DONE]\n\n` : JSON.stringify({ ...whole, usage }))
  })
  const gateway = await startGateway(t, {
    providers: { router: { kind: 'openai-compatible', baseURL: `${vendor.url}/v1`, apiKeyEnv: 'KEY' } },
    configuration: { models },
    environment: { KEY: 'made-up' },
  })
  for (const stream of [false, true]) {
    await send(`${gateway.url}/through/router/v1/chat/completions`, {
      headers: ['x-foreword-token', gateway.token, 'authorization', 'Bearer own'],
      body: JSON.stringify({ model: 'priced', stream, messages: [{ role: 'user', content: 'Say hello.' }] }),
    })
    await gateway.runtime.idle()
  }
  const calls = await recordedCalls(gateway)
  const paid = await Promise.all(calls.map((call) => callPrice(gateway.runtime, call)))
  assert.deepEqual(new Set(paid.map((price) => price?.money)), new Set([0.0012, 0.0031]))
})

test('what a provider says that a call cost is what account, sums, budgets and pages show, of our calls and of those of other programs, after a restart too', async (t) => {
  let cost: unknown = 0.0031
  const vendor = await startVendor(t, (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.end(`${chunks(cost)}data: [DONE]\n\n`)
  })
  const gateway = await startGateway(t, {
    providers: { router: { kind: 'openai-compatible', baseURL: `${vendor.url}/v1`, apiKeyEnv: 'KEY' } },
    configuration: { models, budgets: [{ limit: { usd: 5 }, per: 'month' }] },
    environment: { KEY: 'made-up' },
  })
  const { runtime } = gateway
  /** One call of our own, and one of another program. */
  async function callBoth(model: string): Promise<void> {
    const { id: session } = await runtime.newSession({ model: `router/${model}` })
    await runtime.submit({ session, text: 'Say hello.' })
    const answer = await send(`${gateway.url}/through/router/v1/chat/completions`, {
      headers: ['x-foreword-token', gateway.token, 'authorization', 'Bearer own'],
      body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Say hello.' }] }),
    })
    assert.equal(answer.status, 200)
    await recordedCalls(gateway)
  }
  await callBoth('priced')
  cost = 1e12
  await callBoth('priced')
  cost = 0.0012
  await callBoth('priced')
  const again = await gateway.restart()
  const calls = (await recordedCalls(again)).filter(({ kind }) => kind !== 'note')
  const paid = await Promise.all(calls.map((call) => callPrice(again.runtime, call)))
  assert.deepEqual(
    paid.map((price) => [price?.money, price?.reported, price?.listed]),
    [
      [0.0031, true, 0.0012],
      [0.0031, true, 0.0012],
      [0.0012, undefined, undefined],
      [0.0012, undefined, undefined],
      [0.0012, true, undefined],
      [0.0012, true, undefined],
    ],
  )
  for (const price of paid) {
    const parts = Object.values(price!.parts).reduce((sum, part) => sum + Math.round(part * 1e9), 0)
    assert.equal(parts, Math.round(price!.money * 1e9))
  }
  const sum = 2 * 0.0031 + 4 * 0.0012
  for (const by of costGroups) {
    const { total, rows } = await costsOf(again.runtime).costs({ by })
    assert.deepEqual([total.nanoDollars, total.unpriced], [Math.round(sum * 1e9), 0], by)
    assert.equal(
      rows.reduce((all, { nanoDollars }) => all + nanoDollars, 0),
      total.nanoDollars,
      by,
    )
  }
  const { total } = await costsOf(again.runtime).usage({ by: 'model' })
  assert.deepEqual([total.money?.toFixed(9), total.unpriced, total.unreported], [sum.toFixed(9), 0, 0])
  const ids = calls.map(({ id }) => id)
  assert.equal((await costOfCalls(again.runtime, ids))?.toFixed(9), sum.toFixed(9))
  assert.equal(exactMoneyText((await again.runtime.budgets())[0]!.spent!), exactMoneyText(sum))
})

test('a cost that is reported needs no price: it has parts, and is in every sum', async (t) => {
  const vendor = await startVendor(t, (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.end(`${chunks(0.0031)}data: [DONE]\n\n`)
  })
  const gateway = await startGateway(t, {
    providers: { router: { kind: 'openai-compatible', baseURL: `${vendor.url}/v1`, apiKeyEnv: 'KEY' } },
    configuration: { models: { 'router/new': { free: false } } },
    environment: { KEY: 'made-up' },
  })
  const body = JSON.stringify({ model: 'new', stream: true, messages: [{ role: 'user', content: 'Say hello.' }] })
  await send(`${gateway.url}/through/router/v1/chat/completions`, {
    headers: ['x-foreword-token', gateway.token, 'authorization', 'Bearer own'],
    body,
  })
  const [call] = await recordedCalls(gateway)
  const paid = await callPrice(gateway.runtime, call!)
  assert.deepEqual([paid?.money, paid?.listed, paid?.saved], [0.0031, undefined, 0])
  const units = Object.values(paid!.parts).map((part) => Math.round(part * 1e9))
  assert.equal(
    units.reduce((sum, part) => sum + part, 0),
    3_100_000,
  )
  assert.ok(units.at(-1)! > 0)
  const { total } = await costsOf(gateway.runtime).costs({ by: 'layer' })
  assert.deepEqual([total.nanoDollars, total.unpriced], [3_100_000, 0])
  assert.equal((await costsOf(gateway.runtime).usage({ by: 'day' })).total.money, 0.0031)
})
