import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { scriptedModel } from '../../src/testing.ts'
import { gate, opened, type Opened, type Setting } from './opened.ts'

/** A dollar for a thousand tokens, of prompts and answers alike. */
const PRICE = { input: 1000, output: 1000 }
const ANSWER = { text: 'ok', usage: { promptTokens: 100, outputTokens: 10 } }
const DAY_MS = 24 * 60 * 60 * 1000
const day = (usd: number, more: object = {}) => ({ limit: { usd }, per: 'day', ...more }) as const
const priced = () => scriptedModel({ answer: () => ANSWER, facts: { price: PRICE } })

test('a call that waits leaves by itself when the next day begins, and its question is gone', async (t) => {
  const model = priced()
  const here = await withTimer(t, { model, budgets: [day(4)] })
  await spendTheDay(here)
  const turn = await here.runtime.submit({ text: 'Hello.' })
  const question = await waiting(here)
  assert.match(question.held!.sentence, /left of \$\d+\.00 for the day\.$/)
  await here.nextMinute()
  assert.equal((await waiting(here)).approval, question.approval, 'the day is the same')
  await here.clock.advance(DAY_MS)
  await here.nextMinute()
  assert.deepEqual((await here.ended(turn)).outcome, { type: 'completed' })
  assert.deepEqual(await questions(here, turn.session), [
    ['asked', question.approval],
    ['withdraw', question.approval, 'A new period of the budget has begun.'],
  ])
  assert.deepEqual(await here.runtime.approvals(), [])
  assert.equal((await here.runtime.budgets())[0]?.spent, 0.11, 'the new day has paid for it')
})

test('a call that is too dear for the new day, too, is asked about again: the old question is about yesterday', async (t) => {
  const here = await withTimer(t, { model: priced(), budgets: [day(1)] })
  await here.runtime.submit({ text: 'Hello.' })
  const { approval } = await waiting(here)
  await here.clock.advance(DAY_MS)
  await here.nextMinute()
  const again = await waiting(here, ({ approval: id }) => id !== approval)
  assert.equal((await here.runtime.approvals()).length, 1)
  await decide(here, again, 'session')
  await here.ended(again)
  assert.ok((await here.runtime.budgets())[0]!.limit > 1, 'today was raised')
})

test('a month goes on after its last day only, in the time zone of the home', async (t) => {
  const month = { limit: { usd: 4 }, per: 'month' } as const
  const start = '2026-01-30T12:00:00.000Z'
  const here = await withTimer(t, { model: priced(), budgets: [month], start, timeZone: 'Pacific/Auckland' })
  await spendTheDay(here)
  const turn = await here.runtime.submit({ text: 'Hello.' })
  const { approval } = await waiting(here)
  // 31 January in Auckland until 11:00 UTC.
  await here.clock.advance(22 * 60 * 60 * 1000)
  await here.nextMinute()
  assert.equal((await waiting(here)).approval, approval)
  await here.clock.advance(60 * 60 * 1000)
  await here.nextMinute()
  assert.deepEqual((await here.ended(turn)).outcome, { type: 'completed' })
})

test('a limit that is raised in the configuration lets the call go at the next reload', async (t) => {
  let configured = [day(1)]
  const here = await opened(t, { model: priced(), budgets: configured, readBudgets: async () => configured })
  const turn = await here.runtime.submit({ text: 'Hello.' })
  const { approval } = await waiting(here)
  await here.runtime.reload()
  assert.equal((await waiting(here)).approval, approval, 'nothing has changed')
  configured = [day(10)]
  await here.runtime.reload()
  assert.deepEqual((await here.ended(turn)).outcome, { type: 'completed' })
  assert.deepEqual((await questions(here, turn.session)).at(-1), [
    'withdraw',
    approval,
    'The budget has room for the call.',
  ])
})

test('budgets that cannot be read stay as they were', async (t) => {
  const readBudgets = () => Promise.reject(new Error('config.json is broken'))
  const here = await opened(t, { model: priced(), budgets: [day(1)], readBudgets })
  await here.runtime.reload()
  assert.equal((await here.runtime.budgets())[0]?.limit, 1)
  assert.deepEqual(here.warnings, ['Budgets stay as they were: config.json is broken'])
})

test('a limit that is raised between two starts lets the call go, and nobody is asked any more', async (t) => {
  const before = await opened(t, { model: priced(), budgets: [day(1)] })
  const turn = await before.runtime.submit({ text: 'Hello.' })
  const { approval } = await waiting(before)
  const after = await before.reopened({ budgets: [day(10)] })
  assert.deepEqual((await after.ended(turn)).outcome, { type: 'completed' })
  const reason = 'The call is asked about no more.'
  assert.deepEqual((await questions(after, turn.session)).at(-1), ['withdraw', approval, reason])
})

test('a limit that the owner raises for one call lets those go that fit into it, and no other', async (t) => {
  const here = await opened(t, { model: priced(), budgets: [day(1)] })
  const turns = [await here.runtime.submit({ text: 'One.' })]
  const first = await waiting(here)
  for (const text of ['Two.', 'Three.']) turns.push(await here.runtime.submit({ text }))
  await waiting(here, (_, all) => all.length === 3)
  await decide(here, first, 'session')
  // The calls end one after another, and each leaves room for the next.
  for (const turn of turns) assert.deepEqual((await here.ended(turn)).outcome, { type: 'completed' })
  const asked = await Promise.all(turns.map(({ session }) => questions(here, session)))
  assert.deepEqual(
    asked.map((each) => each.map(([what]) => what)),
    [
      ['asked', 'approve'],
      ['asked', 'withdraw'],
      ['asked', 'withdraw'],
    ],
  )
  const [budget] = await here.runtime.budgets()
  assert.equal(budget?.spent, 0.33)
  assert.ok(budget.spent <= budget.limit)
})

test('a person who decides before the new day counts, and a cancelled call is never made', async (t) => {
  const model = priced()
  const here = await withTimer(t, { model, budgets: [day(1)] })
  const turn = await here.runtime.submit({ text: 'Hello.' })
  const question = await waiting(here)
  await here.runtime.decide(question.approval, { decision: { type: 'deny' }, digest: question.digest, by: 'test' })
  const { outcome } = await here.ended(turn)
  assert.equal(outcome?.type === 'failed' && outcome.code, 'over-budget')
  const other = await here.runtime.submit({ text: 'Hello.' })
  await waiting(here)
  await here.runtime.cancel(other.session, other.turn)
  await here.ended(other)
  await here.clock.advance(DAY_MS)
  assert.equal(model.calls.length, 0)
})

test('somebody who decides about a question that was withdrawn reads that it is over', async (t) => {
  let configured = [day(1)]
  const begun = gate()
  const never = gate()
  t.after(() => never.open())
  const answer = () => ({ ...ANSWER, before: () => (begun.open(), never.passed) })
  const model = scriptedModel({ answer, facts: { price: PRICE } })
  const here = await opened(t, { model, budgets: configured, readBudgets: async () => configured })
  await here.runtime.submit({ text: 'Hello.' })
  const question = await waiting(here)
  configured = [day(10)]
  await here.runtime.reload()
  await begun.passed
  assert.deepEqual(await here.runtime.approvals(), [])
  await assert.rejects(decide(here, question, 'once'), { code: 'decided' })
})

type Question = Awaited<ReturnType<Opened['runtime']['approvals']>>[number]

interface Timed extends Opened {
  /** Ends the wait for the next minute of the clock. */
  nextMinute(): Promise<void>
}

/** A home whose waits end when the test says so. */
async function withTimer(t: TestContext, setting: Setting): Promise<Timed> {
  const sleeps: (() => void)[] = []
  const sleep = (_: number, signal: AbortSignal): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    sleeps.push(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    return promise
  }
  const here = await opened(t, { ...setting, sleep })
  const nextMinute = async (): Promise<void> => {
    while (sleeps.length === 0) await new Promise(setImmediate)
    for (const wake of sleeps.splice(0)) wake()
    await new Promise(setImmediate)
  }
  return { ...here, nextMinute }
}

/** Leaves less of the budget than a call can cost. */
async function spendTheDay(here: Opened): Promise<void> {
  for (;;) {
    const turn = await here.runtime.submit({ text: 'Hello.' })
    for (;;) {
      const [question] = await here.runtime.approvals()
      if (question) {
        await here.runtime.cancel(turn.session, turn.turn)
        await here.ended(turn)
        return
      }
      const [newest] = await here.store.turns(turn.session, { limit: 1 })
      if (newest?.state !== 'queued' && newest?.state !== 'running') break
      await new Promise(setImmediate)
    }
  }
}

async function waiting(
  { runtime }: Opened,
  is: (question: Question, all: readonly Question[]) => boolean = () => true,
): Promise<Question> {
  for (;;) {
    const all = await runtime.approvals()
    const found = all.find((question) => is(question, all))
    if (found) return found
    await new Promise(setImmediate)
  }
}

async function decide({ runtime }: Opened, { approval, digest }: Question, scope: 'once' | 'session') {
  await runtime.decide(approval, { decision: { type: 'approve', scope }, digest, by: 'test' })
}

/** What was asked in a session about calls to models, and how that ended. */
async function questions(here: Opened, session: string): Promise<readonly (readonly string[])[]> {
  const entries = await here.log(session)
  return entries.flatMap((entry): (readonly string[])[] => {
    if (entry.type === 'approval-request') return [['asked', entry.approval]]
    if (entry.type !== 'approval') return []
    const { approval, decision } = entry
    return [decision.type === 'withdraw' ? ['withdraw', approval, decision.reason] : [decision.type, approval]]
  })
}
