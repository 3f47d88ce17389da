import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openBudgetLedger } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { gate, opened, type Opened, type Setting } from './opened.ts'
import { costsOf } from '../costs-of.ts'

/** A dollar for a thousand tokens, of prompts and answers alike. */
const PRICE = { input: 1000, output: 1000 }
const ANSWER = { text: 'ok', usage: { promptTokens: 100, outputTokens: 10 } }
const day = (usd: number, more: object = {}) => ({ limit: { usd }, per: 'day', ...more }) as const

const priced = (script: Parameters<typeof scriptedModel>[0] = {}) =>
  scriptedModel({ answer: () => ANSWER, ...script, facts: { price: PRICE, ...script.facts } })

test('a call that could pass the limit waits, and leaves once the owner allows it', async (t) => {
  const model = priced()
  const here = await opened(t, { model, budgets: [day(1)] })
  const turn = await here.runtime.submit({ text: 'Hello.' })
  const question = await waiting(here)
  assert.match(question.held!.sentence, /^This call may cost \$\d+\.\d\d; \$1\.00 are left of \$1\.00 for the day\.$/)
  assert.equal(model.calls.length, 0, 'nothing has left')
  await decide(here, question, 'once')
  assert.deepEqual((await here.ended(turn)).outcome, { type: 'completed' })
  assert.equal(model.calls.length, 1)
  assert.deepEqual(await spent(here), [1, 0.11, 0])

  // What was allowed was that call.
  await here.runtime.submit({ text: 'Again.' })
  assert.match((await waiting(here)).held!.sentence, /; \$0\.89 are left of \$1\.00 for the day\.$/)
})

test('the owner raises the limit for the rest of the period, and the calls after it leave, too', async (t) => {
  const here = await opened(t, { model: priced(), budgets: [day(1)] })
  const turn = await here.runtime.submit({ text: 'Hello.' })
  const question = await waiting(here)
  assert.match(question.held!.raise, /^Raises the limit of the day to \$\d+\.00, until the period ends\.$/)
  await decide(here, question, 'session')
  await here.ended(turn)
  const [limit] = await spent(here)
  assert.ok(limit! > 1)
  await here.runtime.submit({ text: 'Again.', session: turn.session })
  assert.deepEqual(await settledOrAsked(here), 'completed')
})

test('a refused call is never made, and the turn says what it may have cost', async (t) => {
  const model = priced()
  const here = await opened(t, { model, budgets: [day(1)] })
  const turn = await here.runtime.submit({ text: 'Hello.' })
  const question = await waiting(here)
  const decision = { type: 'deny', reason: 'Too dear.' } as const
  await here.runtime.decide(question.approval, { decision, digest: question.digest, by: 'test' })
  const { outcome } = await here.ended(turn)
  assert.ok(outcome?.type === 'failed')
  assert.equal(outcome.code, 'over-budget')
  assert.match(outcome.message, /a person refused it\. This call may cost .* The reason: Too dear\.$/)
  assert.equal(model.calls.length, 0)
  assert.deepEqual(await spent(here), [1, 0, 0])
  for (const by of ['session', 'layer'] as const) {
    const { total } = await costsOf(here.runtime).costs({ by })
    assert.deepEqual([total.calls, total.unpriced, total.nanoDollars], [1, 0, 0], by)
  }
})

test('a restart keeps the call waiting under the same question, and an answer counts once', async (t) => {
  const model = priced()
  const before = await opened(t, { model, budgets: [day(1)] })
  const turn = await before.runtime.submit({ text: 'Hello.' })
  const asked = await waiting(before)
  const after = await before.reopened()
  const still = await waiting(after)
  assert.equal(still.approval, asked.approval)
  await decide(after, still, 'once')
  await after.ended(turn)
  assert.equal(model.calls.length, 1)
})

test('a gateway that ends while an allowed call runs asks again: what was allowed was one call', async (t) => {
  const begun = gate()
  const never = gate()
  const model = priced({
    answer: () => ({ ...ANSWER, before: () => (begun.open(), never.passed) }),
  })
  const before = await opened(t, { model, budgets: [day(1)] })
  await before.runtime.submit({ text: 'Hello.' })
  const asked = await waiting(before)
  await decide(before, asked, 'once')
  await begun.passed
  const after = await before.reopened()
  const again = await waiting(after)
  assert.notEqual(again.approval, asked.approval)
  assert.match(again.held!.sentence, /; nothing is left of \$1\.00 for the day\.$/, 'what it can have cost is spent')
  assert.equal(model.calls.length, 1)
})

test('calls outside a session are refused, since there is nobody to ask', async (t) => {
  const model = priced()
  const { runtime } = await opened(t, { model, budgets: [day(1, { token: 'phone' })] })
  const messages = [{ role: 'user', content: 'Hello.' }] as const
  await assert.rejects(Array.fromAsync(runtime.complete({ messages, token: 'phone' })), { code: 'over-budget' })
  assert.equal(model.calls.length, 0)
  await Array.fromAsync(runtime.complete({ messages }))
  assert.equal(model.calls.length, 1, 'the budget is of another token')
})

test('a refusal of the provider costs nothing, and a call without a report costs what it can have cost', async (t) => {
  const failure = (n: number) =>
    n === 1 ? ({ fail: 'rate-limit' } as const) : n === 2 ? ({ fail: 'server' } as const) : ANSWER
  const model = priced({ answer: (_, n) => failure(n) })
  const here = await opened(t, { model, budgets: [day(1000)] })
  await here.say('Hello.')
  assert.equal(model.calls.length, 3)
  const [, cost, held] = await spent(here)
  assert.equal(held, 0)
  // The second try may have been billed: a prompt and the longest answer, 2048 tokens.
  assert.ok(cost! > 2.04 + 0.11 && cost! < 2 * (2.04 + 0.11 + 2), `${cost}`)
})

test('a model without a price waits under a limit in money, unless it is free; tokens are counted for both', async (t) => {
  const model = scriptedModel({ answer: () => ANSWER })
  const unpriced = await opened(t, { model, budgets: [day(1000)] })
  await unpriced.runtime.submit({ text: 'Hello.' })
  const question = await waiting(unpriced)
  assert.match(question.held!.sentence, /^The price of scripted is not known, .* Set models\."scripted"\.price /)
  await decide(unpriced, question, 'session')

  const free = scriptedModel({ facts: { free: true }, answer: () => ANSWER })
  const tokens = { limit: { tokens: 100_000 }, per: 'day' } as const
  const here = await opened(t, { model: free, budgets: [day(0.01), tokens] })
  assert.deepEqual((await here.say('Hello.')).outcome, { type: 'completed' })
  assert.deepEqual(
    (await here.runtime.budgets()).map((budget) => budget.spent),
    [0, 110],
  )
})

test('a warning is shown once in a period, and the day ends in the time zone of the home', async (t) => {
  const setting: Setting = { model: priced(), budgets: [day(10, { warnAt: 0.01 })], timeZone: 'Pacific/Auckland' }
  const here = await opened(t, setting)
  await here.say('Hello.')
  await here.say('Again.')
  const about = here.warnings.filter((text) => text.includes('for the day are spent or held'))
  assert.equal(about.length, 1, about.join('\n'))
  const zone = { timeZone: 'Pacific/Auckland', year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const today = new Intl.DateTimeFormat('sv-SE', zone).format(new Date(here.clock.time()))
  assert.equal((await here.runtime.budgets())[0]?.period, today)
})

test('the warning of a budget of each session or turn says which one it is about', async (t) => {
  const limit = { usd: 10 }
  const budgets = [
    { limit, per: 'session', warnAt: 0.01 },
    { limit, per: 'turn', warnAt: 0.01 },
  ] as const
  const here = await opened(t, { model: priced(), budgets })
  const { session, turn } = await here.say('Hello.')
  assert.deepEqual(
    here.warnings.map((text) => /for (.*) are spent/.exec(text)?.[1]),
    [`the session (${session})`, `the turn (${turn} of ${session})`],
  )
})

test('the limit of one input holds for its turn, and one with an owner for all its turns', async (t) => {
  const model = priced()
  const here = await opened(t, { model })
  const budgets = [{ limit: { usd: 5 }, per: 'month', owner: 'schedule/morning' }] as const
  await here.say('Hello.', { budgets })
  await here.say('Hello.', { budgets: [{ limit: { usd: 5 } }] })
  const ledger = openBudgetLedger(join(here.home, 'data', 'budgets.sqlite'))
  t.after(() => ledger.close())
  const month = here.clock.time().slice(0, 7)
  const account = JSON.stringify(['month', month, { whose: 'schedule/morning' }])
  assert.equal(ledger.state({ account, unit: 'nanos', limit: 0 }).spent, 110_000_000)
  await here.runtime.submit({ text: 'Hello.', budgets: [{ limit: { usd: 0.01 } }] })
  assert.match((await waiting(here)).held!.sentence, /of \$0\.0100 for the turn\.$/)
})

test('cancelling a turn ends its question, and the model is never called', async (t) => {
  const model = priced()
  const here = await opened(t, { model, budgets: [day(1)] })
  const turn = await here.runtime.submit({ text: 'Hello.' })
  await waiting(here)
  await here.runtime.cancel(turn.session, turn.turn)
  assert.deepEqual((await here.ended(turn)).outcome, { type: 'cancelled' })
  assert.deepEqual(await here.runtime.approvals(), [])
  assert.equal(model.calls.length, 0)
})

/** How the newest turn went on: its outcome, or that a call of it waits. */
async function settledOrAsked({ runtime, store }: Opened) {
  for (;;) {
    const [session] = await store.sessions()
    const [newest] = await store.turns(session!.id, { limit: 1 })
    if ((await runtime.approvals()).length > 0) return 'waiting'
    if (newest?.state !== 'queued' && newest?.state !== 'running') return newest?.state
    await new Promise(setImmediate)
  }
}

async function waiting({ runtime }: Opened) {
  for (;;) {
    const [question] = await runtime.approvals()
    if (question) return question
    await new Promise(setImmediate)
  }
}

async function decide(
  { runtime }: Opened,
  { approval, digest }: Awaited<ReturnType<typeof waiting>>,
  scope: 'once' | 'session',
) {
  await runtime.decide(approval, { decision: { type: 'approve', scope }, digest, by: 'test' })
}

async function spent({ runtime }: Opened) {
  const [budget] = await runtime.budgets()
  return [budget?.limit, budget?.spent, budget?.held]
}
