import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedModel } from '../../src/testing.ts'
import { opened } from './opened.ts'

test('the limits of an input, its token and its channel are on disk with it', async (t) => {
  const { runtime, say, log } = await opened(t, { model: scriptedModel({ facts: { price: { input: 1, output: 1 } } }) })
  const budgets = [
    { limit: { usd: 1000 }, per: 'month', owner: 'schedule/morning' },
    { limit: { tokens: 9_000_000 } },
  ] as const
  const { session } = await say('Hello.', { budgets, token: 'phone', channel: 'telegram' })
  const [input] = (await log(session)).filter((entry) => entry.type === 'input')
  assert.deepEqual(input?.type === 'input' && input.options, { budgets, token: 'phone', channel: 'telegram' })
  assert.equal((await runtime.store.sessions()).length, 1)
})

test('a budget that is no limit is refused before anything is written', async (t) => {
  const { runtime } = await opened(t)
  for (const limit of [{ usd: -1 }, { usd: Number.NaN }, { usd: 1e9 }, { tokens: 0.5 }, { tokens: -1 }]) {
    await assert.rejects(runtime.submit({ text: 'Hello.', budgets: [{ limit }] }), { code: 'invalid-input' })
  }
  assert.deepEqual(await runtime.store.sessions(), [])
})
