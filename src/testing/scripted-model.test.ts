import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixedClock } from './fixed-clock.ts'
import { scriptedModel, scriptedModels, type ScriptedReply } from './scripted-model.ts'

const request = { tools: [], messages: [{ role: 'user' as const, content: 'hello' }] }

async function said(reply: ScriptedReply, signal = new AbortController().signal) {
  return Array.fromAsync(scriptedModel({ answer: () => reply }).call(request, { signal }))
}

test('a scripted model streams its reasoning, its text, its calls and its end', async () => {
  const events = await said({
    reasoning: 'Hm.',
    text: 'Good day',
    toolCalls: [{ name: 'look', input: {} }],
    usage: { promptTokens: 7 },
  })
  assert.deepEqual(
    events.map(({ type }) => type),
    ['reasoning-delta', 'text-delta', 'text-delta', 'tool-call', 'finish'],
  )
  const end = events.at(-1)
  assert.ok(end?.type === 'finish')
  assert.deepEqual([end.reason, end.usage.promptTokens, end.usage.outputTokens], ['tool-calls', 7, undefined])
  assert.deepEqual(end.message.content, [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Good day' },
    { type: 'tool-call', toolCallId: 'call_1_1', toolName: 'look', input: {} },
  ])
})

test('a scripted model records its calls, and answers each one by its number', async () => {
  const model = scriptedModel({ answer: (_, n) => ({ text: `answer ${n}` }) })
  const { signal } = new AbortController()
  for (let n = 0; n < 2; n += 1) await Array.fromAsync(model.call(request, { signal, window: n }))
  assert.deepEqual(
    model.calls.map(({ options }) => options.window),
    [0, 1],
  )
  assert.equal(model.calls[0]?.request, request)
})

test('a failure comes after the text before it, and cancelling ends a wait', async () => {
  await assert.rejects(said({ text: 'one two', fail: { code: 'rate-limit', facts: { retryAfterMs: 5 } } }), {
    code: 'rate-limit',
    facts: { provider: 'scripted', model: 'scripted', retryAfterMs: 5 },
  })
  const stop = new AbortController()
  const waiting = said({ text: 'one', before: () => new Promise(() => {}) }, stop.signal)
  stop.abort()
  await assert.rejects(waiting, { code: 'cancelled' })
})

test('scripted models are found by their ids', async () => {
  const models = scriptedModels(scriptedModel({ id: 'one' }), scriptedModel({ id: 'two' }))
  assert.equal((await models.choose()).id, 'one')
  assert.equal((await models.model('two')).id, 'two')
  await assert.rejects(models.model('three'), { code: 'model-not-found' })
})

test('a fixed clock moves only by advance, and counts its ids', async () => {
  const clock = fixedClock({ start: '2026-03-01T00:00:00.000Z', prefix: 'x' })
  const times = [clock.time(), clock.time()]
  await clock.advance(1500)
  assert.deepEqual(
    [...times, clock.time(), clock.monotonic()],
    ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-03-01T00:00:01.500Z', 1500],
  )
  assert.deepEqual([clock.newId('turn'), clock.newId('call'), clock.newId('turn')], ['turn_x1', 'call_x1', 'turn_x2'])
})
