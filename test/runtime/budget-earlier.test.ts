import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openBudgetLedger } from '../../src/session.ts'
import { scriptedModel } from '../../src/testing.ts'
import { gate, opened, type Opened } from './opened.ts'

/** A dollar for a thousand tokens, of prompts and answers alike: a call costs 0.11. */
const PRICE = { input: 1000, output: 1000 }
const ANSWER = { text: 'ok', usage: { promptTokens: 100, outputTokens: 10 } }
const DAY_MS = 24 * 60 * 60 * 1000
const day = (more: object = {}) => ({ limit: { usd: 100 }, per: 'day', ...more }) as const
const month = { limit: { usd: 100 }, per: 'month' } as const

const priced = (script: Parameters<typeof scriptedModel>[0] = {}) =>
  scriptedModel({ answer: () => ANSWER, facts: { price: PRICE }, ...script })

test('a budget that is added counts what was spent before in its period, once', async (t) => {
  const before = await opened(t, { model: priced() })
  for (const text of ['One.', 'Two.', 'Three.']) await before.say(text)
  assert.ok(!existsSync(fileOf(before)), 'without budgets nothing is kept')
  const after = await before.reopened({ budgets: [day(), { limit: { tokens: 10_000 }, per: 'month' }] })
  assert.deepEqual(await spent(after), [0.33, 330])
  assert.deepEqual(await earlier(after), [0.33, 330])
  await after.say('Four.')
  assert.deepEqual(await spent(after), [0.44, 440])
  assert.deepEqual(await earlier(after), [0.33, 330], 'the fourth call was held')
  const again = await after.reopened()
  assert.deepEqual(await spent(again), [0.44, 440])
})

test('a day has the calls of that day alone, and a month those of the month, in the time zone of the home', async (t) => {
  const setting = { model: priced(), timeZone: 'Pacific/Auckland', start: '2026-01-30T10:30:00.000Z' }
  const first = await opened(t, setting)
  await first.say('On the 30th at 23:30 in Auckland.')
  const second = await first.reopened({ ...setting, start: '2026-01-30T11:30:00.000Z' })
  await second.say('On the 31st at 0:30.')
  const third = await second.reopened({ ...setting, start: '2026-01-31T10:59:59.000Z', budgets: [day(), month] })
  assert.deepEqual(await spent(third), [0.11, 0.22])
  const fourth = await third.reopened({ ...setting, start: '2026-01-31T11:00:00.000Z', budgets: [day(), month] })
  assert.deepEqual(await spent(fourth), [0, 0], 'it is February')
})

test('a ledger that is lost is filled from the log, for each of its budgets', async (t) => {
  const budgets = [day(), day({ token: 'phone' }), day({ channel: 'web' }), month]
  const before = await opened(t, { model: priced(), budgets })
  await before.say('One.', { token: 'phone' })
  await before.say('Two.', { token: 'tablet', channel: 'web' })
  const messages = [{ role: 'user', content: 'Hello.' }] as const
  await Array.fromAsync(before.runtime.complete({ messages, token: 'phone' }))
  await Array.fromAsync(before.runtime.complete({ messages }))
  assert.deepEqual(await spent(before), [0.44, 0.22, 0.11, 0.44])
  assert.deepEqual(await earlier(before), [undefined, undefined, undefined, undefined])
  const kept = await before.reopened()
  assert.deepEqual(await spent(kept), [0.44, 0.22, 0.11, 0.44], 'nothing counts twice')
  await kept.runtime.close()
  for (const end of ['', '-wal', '-shm']) rmSync(`${fileOf(kept)}${end}`, { force: true })
  const after = await kept.reopened()
  assert.deepEqual(await spent(after), [0.44, 0.22, 0.11, 0.44])
  assert.deepEqual(await earlier(after), [0.44, 0.22, 0.11, 0.44])
})

test('a budget of each session counts what the session has spent, and one of an owner what came for it', async (t) => {
  const before = await opened(t, { model: priced() })
  const { session } = await before.say('One.')
  await before.say('Two.', { session })
  const owned = [{ limit: { usd: 5 }, per: 'month', owner: 'schedule/morning' }] as const
  await before.say('Three.', { session, budgets: owned })
  rmSync(fileOf(before), { force: true })
  const after = await before.reopened({ budgets: [{ limit: { usd: 0.4 }, per: 'session' }] })
  await after.runtime.submit({ text: 'Four.', session, budgets: owned })
  assert.match((await waiting(after)).held!.sentence, /; \$0\.0700 are left of \$0\.40 for the session\.$/)
  const ledger = openBudgetLedger(fileOf(after))
  t.after(() => ledger.close())
  const account = JSON.stringify(['month', '2026-01', { whose: 'schedule/morning' }])
  assert.equal(ledger.state({ account, unit: 'nanos', limit: 0 }).spent, 110_000_000)
})

test('a budget that is added while a call runs counts it when it is over, and not twice', async (t) => {
  const [begun, ends] = [gate(), gate()]
  const model = priced({ answer: () => ({ ...ANSWER, before: () => (begun.open(), ends.passed) }) })
  const here = await opened(t, { model, readBudgets: async () => [day()] })
  const turn = await here.runtime.submit({ text: 'Hello.' })
  await begun.passed
  await here.runtime.reload()
  assert.deepEqual(await spent(here), [0])
  ends.open()
  await here.ended(turn)
  assert.deepEqual(await spent(here), [0.11])
  assert.deepEqual(await spent(await here.reopened({ budgets: [day()] })), [0.11])
})

test('a call that was recorded when the process ended, and held at less, counts as what it has cost', async (t) => {
  const before = await opened(t, { model: priced(), budgets: [day()] })
  const { session } = await before.say('One.')
  const [call] = await before.runtime.store.calls(session)
  const { id, time } = call!
  await before.runtime.close()
  rmSync(fileOf(before), { force: true })
  const ledger = openBudgetLedger(fileOf(before))
  const check = {
    account: JSON.stringify(['day', time.slice(0, 10), {}]),
    unit: 'nanos',
    limit: 1e12,
    warnAt: 1,
  } as const
  for (const hold of [`${id}/1-hold_a`, `${id}/2-hold_b`])
    ledger.hold({ id: hold, call: id, time, most: { nanos: 1_000, tokens: 1 }, checks: [check] })
  ledger.close()
  assert.deepEqual(await spent(await before.reopened()), [0.11])
})

test('a call that runs over midnight counts on the day on which it left', async (t) => {
  const [begun, ends] = [gate(), gate()]
  const model = priced({ answer: () => ({ ...ANSWER, before: () => (begun.open(), ends.passed) }) })
  const here = await opened(t, { model, budgets: [day(), month] })
  const turn = await here.runtime.submit({ text: 'Hello.' })
  await begun.passed
  await here.clock.advance(DAY_MS)
  ends.open()
  await here.ended(turn)
  assert.deepEqual(await spent(here), [0, 0.11])
})

function fileOf({ home }: Opened): string {
  return join(home, 'data', 'budgets.sqlite')
}

async function spent({ runtime }: Opened) {
  return (await runtime.budgets()).map((budget) => budget.spent)
}

async function earlier({ runtime }: Opened) {
  return (await runtime.budgets()).map((budget) => budget.earlier)
}

async function waiting({ runtime }: Opened) {
  for (;;) {
    const [question] = await runtime.approvals()
    if (question) return question
    await new Promise(setImmediate)
  }
}
