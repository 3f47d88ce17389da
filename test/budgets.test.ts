import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { APIError } from 'openai'
import type { BudgetReport, CostReport, UsageReport } from '../src/capability.ts'
import type { WaitingApproval } from '../src/runtime.ts'
import { realGateway, type RealGateway } from './end-to-end/gateway.ts'

const models = { 'openai/scripted': { window: 16_384, price: { input: 10, output: 50 } } }
/** What such a call costs: one cent and a quarter. */
const usage = { promptTokens: 1_000, outputTokens: 50 }

async function pricedGateway(t: TestContext, budgets: readonly object[] = []): Promise<RealGateway> {
  const configuration = { model: 'openai/scripted', models, budgets }
  return realGateway(t, { answer: () => ({ text: 'The tide is high.', usage }) }, configuration)
}

test('a budget that is written into config.json applies at a reload, with what was spent before', async (t) => {
  const gateway = await pricedGateway(t)
  await gateway.say('How high is the water?')
  await gateway.say('And now?')
  assert.match((await gateway.foreword('budgets')).stderr, /^There are no budgets/)
  setBudgets(gateway, [{ limit: { usd: 1 }, per: 'day' }])
  assert.equal((await gateway.foreword('reload')).code, 0)
  const { stdout, stderr } = await gateway.foreword('budgets')
  assert.match(stdout, /^the day +\d{4}-\d\d-\d\d +\$1\.00 +\$0\.0250 +\$0\.00 +\$0\.97\d? *$/m)
  assert.equal(stderr, 'From calls before there was the budget, by the log: $0.0250 of the day.\n')
  const [budget] = JSON.parse((await gateway.foreword('budgets', '--json')).stdout).budgets as BudgetReport[]
  assert.deepEqual([budget?.spent, budget?.earlier], [0.025, 0.025])
  await gateway.say('And now?')
  const { budgets } = await gateway.curl<{ budgets: readonly BudgetReport[] }>('/api/budgets')
  assert.deepEqual([budgets[0]?.spent, budgets[0]?.earlier], [0.0375, 0.025])
})

test('a call that waits goes on at a reload with a higher limit, and a mistake in the file changes no limit', async (t) => {
  const gateway = await pricedGateway(t, [{ limit: { usd: 0.001 }, per: 'day' }])
  const said = gateway.say('How high is the water?')
  const { approval } = await waiting(gateway)
  setBudgets(gateway, [{ limit: { usd: 'much' }, per: 'day' }])
  const { stderr, stdout } = await gateway.foreword('reload')
  assert.match(stderr + stdout, /Budgets stay as they were: .*budgets/s)
  assert.equal((await waiting(gateway)).approval, approval)
  setBudgets(gateway, [{ limit: { usd: 2 }, per: 'day' }])
  await gateway.foreword('reload')
  assert.equal((await said).outcome?.type, 'completed')
  assert.match((await gateway.foreword('approve')).stderr, /^No calls wait/)
})

test('a call that waits for a budget is counted as waiting, and not as one without a price', async (t) => {
  const gateway = await pricedGateway(t)
  const { session } = await gateway.say('How high is the water?')
  setBudgets(gateway, [{ limit: { usd: 0.001 }, per: 'day' }])
  await gateway.foreword('reload')
  const said = gateway.say('And now?', { session })
  await waiting(gateway)
  const sent = { calls: 1, unpriced: 0, nanoDollars: 12_500_000, money: 0.0125 }
  for (const by of ['day', 'model', 'session', 'token', 'layer']) {
    const { total } = await gateway.curl<CostReport>(`/api/costs?by=${by}`)
    assert.deepEqual(total, { ...sent, waiting: 1, savedNanoDollars: 0 }, by)
  }
  const { rows } = await gateway.curl<CostReport>('/api/costs?by=call')
  assert.deepEqual(
    rows.map(({ calls, waiting: waits, unpriced }) => [calls, waits, unpriced]),
    [
      [1, undefined, 0],
      [0, 1, 0],
    ],
  )
  const used = await gateway.curl<UsageReport>('/api/usage?by=day')
  assert.deepEqual([used.total.calls, used.total.waiting, used.total.unreported], [1, 1, 0])
  const { stdout } = await gateway.foreword('costs')
  assert.match(stdout, /no price +waiting\n/)
  assert.match(
    stdout,
    /^\$0\.0125 for 1 call, .*\n1 call waits for a budget and was not sent: `foreword approve` shows it\.\n$/m,
  )
  const csv = (await gateway.foreword('costs', '--csv')).stdout.trim().split('\n')
  assert.equal(csv.at(-1), '(total),,1,0,0.012500000,0.000000000,1')
  setBudgets(gateway, [{ limit: { usd: 2 }, per: 'day' }])
  await gateway.foreword('reload')
  assert.equal((await said).outcome?.type, 'completed')
  const { total } = await gateway.curl<CostReport>('/api/costs?by=day')
  assert.deepEqual([total.calls, total.waiting, total.unpriced], [2, undefined, 0])
})

for (const stream of [false, true]) {
  test(`a call of /v1 that could pass a budget fails with 402 as OpenAI's errors do: ${stream ? 'stream' : 'plain'}`, async (t) => {
    const gateway = await pricedGateway(t, [{ limit: { usd: 0.001 }, per: 'day' }])
    const asked = gateway.openai.chat.completions.create({
      model: 'openai/scripted',
      messages: [{ role: 'user', content: 'Hello.' }],
      stream,
    })
    const refused = await asked.then(
      () => undefined,
      (error: unknown) => error,
    )
    assert.ok(refused instanceof APIError)
    assert.deepEqual([refused.status, refused.code], [402, 'over-budget'])
    assert.match(refused.message, /This call may cost \$0\.\d+; \$0\.0010 are left of \$0\.0010 for the day\./)
    assert.equal(gateway.provider.requests.length, 0)
    // A session with the same client has a person to ask.
    assert.deepEqual((await gateway.curl<{ approvals: readonly unknown[] }>('/api/approvals')).approvals, [])
  })
}

function setBudgets({ home }: RealGateway, budgets: readonly object[]): void {
  const file = join(home, 'config.json')
  const configuration = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...configuration, budgets }))
}

async function waiting({ curl }: RealGateway): Promise<WaitingApproval> {
  for (;;) {
    const { approvals } = await curl<{ approvals: readonly WaitingApproval[] }>('/api/approvals')
    if (approvals[0]) return approvals[0]
  }
}
