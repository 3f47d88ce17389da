import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../src/context.ts'
import { scriptedModel } from '../../src/testing.ts'
import { gate, opened, tool } from './opened.ts'

const talk: readonly Message[] = [
  { role: 'user', content: 'My name is Ann.' },
  { role: 'assistant', content: 'Hello Ann.' },
  { role: 'user', content: 'What is my name?' },
]

test('a call outside every session reads the messages as its history, and leaves only its account', async (t) => {
  const model = scriptedModel({
    answer: () => ({ reasoning: 'Easy.', text: 'You are Ann.', usage: { promptTokens: 200, outputTokens: 4 } }),
  })
  const { runtime } = await opened(t, { model, tools: [tool('own', async () => ({ ok: true, output: '' }))] })
  const events = await Array.fromAsync(runtime.complete({ messages: talk, system: ['Be brief.'], temperature: 0.5 }))
  const [start] = events
  assert.ok(start?.type === 'call-start' && start.model === 'scripted')
  assert.deepEqual(
    events.map(({ type }) => type),
    ['call-start', 'reasoning-delta', 'text-delta', 'text-delta', 'text-delta', 'finish'],
  )
  const { request, options } = model.asked[0]!
  assert.deepEqual(request.messages, talk)
  assert.deepEqual(request.tools, [])
  assert.match(request.system ?? '', /^You are Foreword.*Be brief\.$/s)
  assert.equal(options.temperature, 0.5)

  assert.deepEqual(await runtime.store.sessions(), [])
  const rebuilt = await runtime.request(start.call)
  assert.ok(rebuilt.identical)
  assert.deepEqual(rebuilt.request, request)
  assert.equal(rebuilt.call.session, undefined)
  assert.equal(rebuilt.call.outcome?.finish, 'stop')
  assert.equal(rebuilt.call.outcome?.usage?.promptTokens, 200)
  assert.equal(rebuilt.call.manifest.entries.find(({ layer }) => layer === 'caller')?.origin.kind, 'user')
})

test("calls of the caller's own tools are handed back and run nowhere", async (t) => {
  let runs = 0
  const weather = { name: 'weather', inputSchema: { type: 'object' } }
  const model = scriptedModel({
    answer: () => ({ toolCalls: [{ id: 'a', name: 'weather', input: { city: 'Bonn' } }] }),
  })
  const own = tool('weather', async () => {
    runs += 1
    return { ok: true, output: 'rain' }
  })
  const { runtime } = await opened(t, { model, tools: [own] })
  const events = await Array.fromAsync(runtime.complete({ messages: talk, tools: [weather] }))
  assert.deepEqual(events[1], { type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: { city: 'Bonn' } })
  assert.ok(events[2]?.type === 'finish' && events[2].reason === 'tool-calls')
  assert.deepEqual(model.asked[0]?.request.tools, [weather])
  assert.equal(runs, 0)
})

test('a caller who leaves ends the call, and the account says so', async (t) => {
  let ended = false
  const model = scriptedModel({
    answer: () => ({ text: 'one two three', before: (n) => (n === 2 ? new Promise(() => {}) : undefined) }),
  })
  const { runtime } = await opened(t, {
    model: {
      ...model,
      async *call(request, options) {
        try {
          yield* model.call(request, options)
        } finally {
          ended = true
        }
      },
    },
  })
  let call = ''
  for await (const event of runtime.complete({ messages: talk })) {
    if (event.type === 'call-start') ({ call } = event)
    if (event.type === 'text-delta') break
  }
  assert.ok(ended)
  assert.equal((await runtime.request(call)).call.outcome?.error?.code, 'cancelled')

  const stop = new AbortController()
  const spoken = gate()
  const reading = (async () => {
    for await (const event of runtime.complete({ messages: talk, signal: stop.signal })) {
      if (event.type === 'text-delta') spoken.open()
    }
  })()
  await spoken.passed
  stop.abort()
  await assert.rejects(reading, { name: 'RuntimeError', code: 'cancelled' })
})

test('messages that cannot fit, a failing provider and no messages at all are told by their codes', async (t) => {
  const model = scriptedModel({ facts: { window: 2000, maxOutput: 200 }, answer: () => ({ fail: 'auth' }) })
  const { runtime } = await opened(t, { model })
  const first = (messages: readonly Message[]) => Array.fromAsync(runtime.complete({ messages }))
  await assert.rejects(first([]), { code: 'invalid-input' })
  await assert.rejects(first([{ role: 'user', content: 'far too much '.repeat(2000) }]), (error) => {
    assert.ok(error instanceof Error && 'code' in error && error.code === 'context-overflow')
    assert.ok('facts' in error && typeof (error.facts as { call?: unknown }).call === 'string')
    return true
  })
  await assert.rejects(first(talk), { name: 'RuntimeError', code: 'auth' })
  assert.equal(model.asked.length, 1)
})

test('a long conversation is cut to what fits', async (t) => {
  const model = scriptedModel({ facts: { window: 2000, maxOutput: 200 } })
  const { runtime } = await opened(t, { model })
  const messages = Array.from({ length: 101 }, (_, n): Message => {
    const content = `${n}: ${'word '.repeat(40)}`
    return n % 2 === 0 ? { role: 'user', content } : { role: 'assistant', content }
  })
  const [start] = await Array.fromAsync(runtime.complete({ messages }))
  const sent = model.asked[0]!.request.messages
  assert.ok(sent.length < 40 && sent.length % 2 === 1)
  assert.deepEqual(sent.at(-1), messages.at(-1))
  assert.ok(start?.type === 'call-start' && (await runtime.request(start.call)).identical)
})

test('a completion that the provider finds too large is cut deeper and sent once more', async (t) => {
  const model = scriptedModel({
    facts: { window: 8_000 },
    answer: (_request, n) =>
      n === 1
        ? { fail: { code: 'context-overflow', facts: { limit: 1_500, sent: 2_600 } } }
        : { text: 'Short enough.' },
  })
  const { runtime } = await opened(t, { model })
  const long = Array.from({ length: 20 }, (_, index): Message => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index} ${'word '.repeat(120)}`,
  }))
  const messages: readonly Message[] = [...long, { role: 'user', content: 'And now?' }]

  const events = await Array.fromAsync(runtime.complete({ messages }))
  const calls = events.flatMap((event) => (event.type === 'call-start' ? [event.call] : []))

  assert.equal(calls.length, 2)
  assert.equal(events.at(-1)?.type, 'finish')
  const [refused, sent] = await Promise.all(calls.map((call) => runtime.request(call)))
  assert.equal(refused?.call.outcome?.error?.code, 'context-overflow')
  assert.ok(refused && sent)
  assert.ok(sent.call.manifest.used < refused.call.manifest.used)
  assert.ok(refused.identical && sent.identical)

  await Array.fromAsync(runtime.complete({ messages }))
  assert.equal(model.asked.length, 3, 'what the server said it takes is known to the next call')
})
