import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from './opened.ts'
import { scriptedModel } from '../../src/testing.ts'
import { openBudgetLedger } from '../../src/session.ts'
import { join } from 'node:path'

test('two processes on one home never get the same money', async (t) => {
  const model = scriptedModel({
    facts: { price: { input: 1000, output: 1000 } },
    answer: () => ({ text: 'ok', usage: { promptTokens: 100, outputTokens: 10 } }),
  })
  const here = await opened(t, { model, budgets: [{ limit: { usd: 10 }, per: 'day' }] })
  await here.say('Hello.')
  const other = openBudgetLedger(join(here.home, 'data', 'budgets.sqlite'))
  t.after(() => other.close())
  const account = JSON.stringify(['day', (await here.runtime.budgets())[0]!.period, {}])
  const check = { account, unit: 'nanos', limit: 10_000_000_000, warnAt: 1 } as const
  const held = { nanos: 9_800_000_000, tokens: 1 }
  assert.deepEqual(
    other.hold({ id: 'theirs', call: 'theirs', time: here.clock.time(), most: held, checks: [check] }).passed,
    [],
  )
  assert.equal((await here.runtime.budgets())[0]?.held, 9.8)
  await here.runtime.submit({ text: 'Again.' })
  for (;;) {
    const [question] = await here.runtime.approvals()
    if (question) {
      assert.match(question.held!.sentence, /; \$0\.0900 are left of \$10\.00 for the day\.$/)
      break
    }
    await new Promise(setImmediate)
  }
  assert.equal(model.calls.length, 1)
})
