import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedModel } from '../../src/testing.ts'
import { opened, tool } from './opened.ts'

test('a system prompt that comes with a message is that of its turn alone, and the manifest says where it comes from', async (t) => {
  const { say, runtime, store } = await opened(t, { model: scriptedModel({ answer: () => ({ text: 'Ay.' }) }) })
  const { session, calls } = await say('Hello.', { system: ' Speak like a sailor.\n' })
  const later = await say('Again.', { session })
  const promptOf = async (call: string) => {
    const { request } = await runtime.request(call)
    const { entries } = (await store.call(call))!.manifest
    return { text: request.system ?? '', origin: entries.find(({ id }) => id === 'system-prompt')?.origin }
  }
  const given = await promptOf(calls[0]!)
  assert.match(given.text, /^Speak like a sailor\./)
  assert.deepEqual(given.origin, { kind: 'operator', ref: 'system prompt of this turn' })
  const usual = await promptOf(later.calls[0]!)
  assert.doesNotMatch(usual.text, /sailor/)
  assert.notDeepEqual(usual.origin, given.origin)
  assert.deepEqual((await runtime.replay(session)).different, [])
  assert.match((await runtime.preview({ session, system: 'Be brief.' })).request.system!, /^Be brief\./)
  await assert.rejects(say('Hello.', { system: ' \n' }), { code: 'invalid-input' })
})

test('what is asked of the calls of a turn holds for each of them, and for no other turn', async (t) => {
  const model = scriptedModel({
    answer: (_request, n) => (n === 1 ? { toolCalls: [{ name: 'look', input: {} }] } : { text: 'Blue.' }),
  })
  const { say, log } = await opened(t, { model, tools: [tool('look', async () => ({ ok: true, output: 'blue' }))] })
  const parameters = { temperature: 0.25, stop: ['END'] }
  const { session } = await say('Look.', { parameters })
  await say('Again.', { session })
  assert.deepEqual(
    model.calls.map(({ options }) => options.parameters),
    [parameters, parameters, undefined],
  )
  const input = (await log(session)).find((entry) => entry.type === 'input')
  assert.deepEqual(input?.type === 'input' && input.options, { parameters })
})
