import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedModel } from '../../src/testing.ts'
import { opened, type Opened } from './opened.ts'

/** A dollar for a thousand tokens, of prompts and answers alike. */
const PRICE = { input: 1000, output: 1000 }
const ANSWER = { text: 'ok', usage: { promptTokens: 100, outputTokens: 10 } }

function priced(answer = () => ANSWER as object) {
  return scriptedModel({ facts: { price: PRICE }, answer })
}

test('a call that could pass the limit waits, and leaves once the owner allows it', async (t) => {
  const model = priced()
  const here = await opened(t, { model, budgets: [{ limit: { usd: 1 }, per: 'day' }] })
  const turn = await here.runtime.submit({ text: 'Hello.' })
  const [question] = await waiting(here)
  assert.match(question.held!.sentence, /^This call may cost \$\d+\.\d\d; \$1\.00 are left of \$1\.00 for the day\.$/)
  assert.equal(model.calls.length, 0, 'nothing has left')
  await here.runtime.decide(question.approval, {
    decision: { type: 'approve', scope: 'once' },
    digest: question.digest,
    by: 'test',
  })
  assert.deepEqual((await here.ended(turn)).outcome, { type: 'completed' })
  assert.equal(model.calls.length, 1)
  const [budget] = here.runtime.budgets()
  assert.deepEqual([budget?.limit, budget?.spent, budget?.held], [1, 0.11, 0])
})

async function waiting({ runtime }: Opened) {
  for (;;) {
    const [question, ...rest] = await runtime.approvals()
    if (question) return [question, ...rest] as const
    await new Promise(setImmediate)
  }
}
