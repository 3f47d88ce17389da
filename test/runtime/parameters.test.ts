import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedModel } from '../../src/testing.ts'
import { opened, tool } from './opened.ts'

test('what is asked of the calls of a turn holds for each of them, and for no other turn', async (t) => {
  const model = scriptedModel({
    answer: (_request, n) => (n === 1 ? { toolCalls: [{ name: 'look', input: {} }] } : { text: 'Blue.' }),
  })
  const { say, log } = await opened(t, { model, tools: [tool('look', async () => ({ ok: true, output: 'blue' }))] })
  const parameters = { temperature: 0.25, stop: ['END'] }
  const { session } = await say('Look.', { parameters })
  await say('Again.', { session })
  assert.deepEqual(
    model.asked.map(({ options }) => options.parameters),
    [parameters, parameters, undefined],
  )
  const input = (await log(session)).find((entry) => entry.type === 'input')
  assert.deepEqual(input?.type === 'input' && input.options, { parameters })
})
