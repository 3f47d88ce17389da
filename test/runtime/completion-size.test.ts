import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../src/context.ts'
import { RuntimeError } from '../../src/capability.ts'
import { scriptedModel } from '../../src/testing.ts'
import { opened } from './opened.ts'

const facts = { window: 2000, maxOutput: 400 }
const said = (words: number): readonly Message[] => [{ role: 'user', content: 'word '.repeat(words) }]
const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }]

test('the size of a call is that of the call that is made then, in the tokens that its provider reports', async (t) => {
  const model = scriptedModel({ facts, answer: () => ({ text: 'ok', usage: { promptTokens: 300, outputTokens: 1 } }) })
  const { runtime } = await opened(t, { model })
  const input = { messages: said(200), tools }
  const size = await runtime.completionSize(input)
  assert.equal(model.calls.length, 0)
  const [start] = await Array.fromAsync(runtime.complete(input))
  assert.ok(start?.type === 'call-start')
  assert.deepEqual(size, { model: 'scripted', tokens: (await runtime.request(start.call)).call.manifest.used })

  for (let calls = 1; calls < 8; calls += 1) await Array.fromAsync(runtime.complete(input))
  const learned = await runtime.completionSize(input)
  assert.ok(Math.abs(learned.tokens - 300) < Math.abs(size.tokens - 300), `${size.tokens}, then ${learned.tokens}`)
})

test('a conversation that does not fit is counted whole, and one that may be cut as it would be sent', async (t) => {
  const { runtime } = await opened(t, { model: scriptedModel({ facts }) })
  const messages = Array.from({ length: 9 }, (_, at): Message => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: 'word '.repeat(400),
  }))
  const whole = await runtime.completionSize({ messages })
  assert.ok(whole.tokens > 3500)
  const cut = await runtime.completionSize({ messages, cut: 'auto' })
  assert.ok(cut.tokens < 2000)
  const added = await runtime.completionSize({ messages: said(1), prompt: true })
  assert.ok(added.tokens > (await runtime.completionSize({ messages: said(1) })).tokens)
})

test('an answer that nobody asked a size for keeps a quarter of the window free, also where the model could write more', async (t) => {
  const model = scriptedModel({ facts: { window: 4000, maxOutput: 2000 } })
  const { runtime } = await opened(t, { model })
  await Array.fromAsync(runtime.complete({ messages: said(10) }))
  assert.equal(model.calls.at(-1)!.options.maxOutputTokens, 1000)
})

test('room that is only a most is what the prompt leaves, never less than the reserve, never more than the model writes', async (t) => {
  // A quarter of the window is kept for an answer.
  const model = scriptedModel({ facts: { window: 4000, maxOutput: 3000 } })
  const { runtime } = await opened(t, { model })
  const room = async (words: number, maxOutputTokens = 100_000) => {
    await Array.fromAsync(runtime.complete({ messages: said(words), maxOutputTokens, answerRoom: 'left' }))
    return model.calls.at(-1)!.options.maxOutputTokens!
  }
  assert.equal(await room(10), 3000)
  assert.equal(await room(10, 50), 50)
  const less = await room(1500)
  assert.ok(less >= 1000 && less < 2500, String(less))
  await assert.rejects(room(3500), (error) => error instanceof RuntimeError && error.code === 'context-overflow')
  // Room that is kept is asked for as it is.
  await assert.rejects(
    Array.fromAsync(runtime.complete({ messages: said(1500), maxOutputTokens: 2900 })),
    (error) => error instanceof RuntimeError && error.code === 'context-overflow',
  )
})
