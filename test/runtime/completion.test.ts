import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyMessage, Message } from '../../src/context.ts'
import type { CallInput } from '../../src/runtime/calls/call-input.ts'
import { RuntimeError } from '../../src/capability.ts'
import { scriptedModel } from '../../src/testing.ts'
import { gate, opened, tool } from './opened.ts'

const talk: readonly Message[] = [
  { role: 'user', content: 'My name is Ann.' },
  { role: 'assistant', content: 'Hello Ann.' },
  { role: 'user', content: 'What is my name?' },
]

test('a call outside every session sends exactly what it is given, and leaves only its account', async (t) => {
  const model = scriptedModel({
    answer: () => ({ reasoning: 'Easy.', text: 'You are Ann.', usage: { promptTokens: 200, outputTokens: 4 } }),
  })
  const { runtime } = await opened(t, { model, tools: [tool('own', async () => ({ ok: true, output: '' }))] })
  const messages: readonly AnyMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'assistant', content: 'Who are you?' },
    ...talk,
    { role: 'system', content: 'Answer in one sentence.' },
  ]
  const parameters = { temperature: 0.5, stop: ['.'] }
  const events = await Array.fromAsync(runtime.complete({ messages, parameters }))
  const [start] = events
  assert.ok(start?.type === 'call-start' && start.model === 'scripted')
  assert.deepEqual(
    events.map(({ type }) => type),
    ['call-start', 'reasoning-delta', 'text-delta', 'text-delta', 'text-delta', 'finish'],
  )
  const { request, options } = model.calls[0]!
  assert.deepEqual(request, { tools: [], messages })
  assert.deepEqual(options.parameters, parameters)

  assert.deepEqual(await runtime.store.sessions(), [])
  const rebuilt = await runtime.request(start.call)
  assert.ok(rebuilt.identical)
  assert.deepEqual(rebuilt.request, request)
  assert.equal(rebuilt.call.session, undefined)
  assert.equal(rebuilt.call.outcome?.finish, 'stop')
  assert.equal(rebuilt.call.outcome?.usage?.promptTokens, 200)
  const { entries, used } = rebuilt.call.manifest
  assert.equal(entries.find(({ layer }) => layer === 'caller')?.origin.kind, 'user')
  assert.equal(
    entries.reduce((sum, { tokens }) => sum + tokens, 0),
    used,
  )
})

test('what the home says is added where it is asked for', async (t) => {
  const model = scriptedModel()
  const { runtime } = await opened(t, { model })
  const messages: readonly AnyMessage[] = [{ role: 'system', content: 'Be brief.' }, ...talk]
  const [start] = await Array.fromAsync(runtime.complete({ messages, prompt: true }))
  const { request } = model.calls[0]!
  assert.match(request.system ?? '', /^You are Foreword.*Be brief\.$/s)
  assert.deepEqual(request.messages, talk)
  assert.ok(start?.type === 'call-start' && (await runtime.request(start.call)).identical)
})

test('a passing fault before the first word is tried again, as in a session', async (t) => {
  const model = scriptedModel({ answer: (_request, n) => (n < 3 ? { fail: 'server' } : { text: 'At last.' }) })
  const { runtime } = await opened(t, { model })
  const events = await Array.fromAsync(runtime.complete({ messages: talk }))
  assert.equal(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join(''), 'At last.')
  assert.equal(model.calls.length, 3)
  assert.equal(events.filter(({ type }) => type === 'call-start').length, 1)
})

test('a fault behind the first word is not tried again', async (t) => {
  const model = scriptedModel({ answer: () => ({ text: 'Half', fail: 'network' }) })
  const { runtime } = await opened(t, { model })
  await assert.rejects(Array.fromAsync(runtime.complete({ messages: talk })), { code: 'network' })
  assert.equal(model.calls.length, 1)
})

test('the model is read no faster than the caller takes what it says', async (t) => {
  let made = 0
  const text = Array.from({ length: 50 }, (_, n) => `${n} `)
  const model = scriptedModel({ answer: () => ({ text, before: async (n) => (made = n) }) })
  const { runtime } = await opened(t, { model })
  let taken = 0
  for await (const event of runtime.complete({ messages: talk })) {
    if (event.type !== 'text-delta') continue
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(made - taken <= 1, `${made} pieces were made when ${taken} had been taken`)
    taken += 1
  }
  assert.equal(taken, 50)
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
  assert.deepEqual(model.calls[0]?.request.tools, [weather])
  assert.equal(runs, 0)
})

test('a request with toolChoice none gets a text and no call, although it lists tools', async (t) => {
  const model = scriptedModel({ answer: () => ({ text: 'It is noon.', toolCalls: [{ name: 'clock', input: {} }] }) })
  const { runtime } = await opened(t, { model })
  const tools = [{ name: 'clock', description: 'Tells the time.', inputSchema: { type: 'object' } }]
  const events = await Array.fromAsync(runtime.complete({ messages: talk, tools, toolChoice: 'none' }))
  const { request, options } = model.calls[0]!
  assert.deepEqual([request.tools, options.toolChoice], [tools, 'none'])
  assert.ok(events.every(({ type }) => type !== 'tool-call'))
  const [start] = events
  assert.ok(start?.type === 'call-start')
  const { input } = (await runtime.request(start.call)).call
  assert.equal((input as CallInput).options?.toolChoice, 'none')
})

test('a caller who disconnects ends the call, and the ledger records it', async (t) => {
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

test('messages that do not fit, a failing provider and missing messages have error codes', async (t) => {
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
  assert.equal(model.calls.length, 1)
})

const long: readonly Message[] = Array.from({ length: 61 }, (_, n): Message => {
  const content = `${n}: ${'word '.repeat(40)}`
  return n % 2 === 0 ? { role: 'user', content } : { role: 'assistant', content }
})

test('a conversation that does not fit is refused, and nothing of it is sent', async (t) => {
  const model = scriptedModel({ facts: { window: 2000, maxOutput: 200 } })
  const { runtime } = await opened(t, { model })
  for (const prompt of [false, true]) {
    await assert.rejects(Array.fromAsync(runtime.complete({ messages: long, prompt })), (error: unknown) => {
      assert.ok(error instanceof RuntimeError && error.code === 'context-overflow')
      const { limit, sent, reserve } = error.facts as { limit: number; sent: number; reserve: number }
      assert.deepEqual([limit, reserve], [2000, 200])
      assert.ok(sent + reserve > limit)
      return true
    })
  }
  assert.equal(model.calls.length, 0)
})

test('a conversation is cut to the window on request, and the caller learns what was left out', async (t) => {
  const model = scriptedModel({ facts: { window: 2000, maxOutput: 200 } })
  const { runtime } = await opened(t, { model })
  const messages: readonly AnyMessage[] = [{ role: 'system', content: 'Be brief.' }, ...long]
  const [start] = await Array.fromAsync(runtime.complete({ messages, cut: 'auto' }))
  const { request } = model.calls[0]!
  assert.equal(request.system, 'Be brief.')
  assert.ok(request.messages.length < 40 && request.messages.length % 2 === 1)
  assert.deepEqual(request.messages.at(-1), long.at(-1))
  assert.ok(start?.type === 'call-start' && start.cut && (await runtime.request(start.call)).identical)
  assert.equal(start.cut.messages, 62)
  assert.equal(start.cut.messagesLeftOut, 61 - request.messages.length)
  assert.equal(start.cut.resultsShortened, 0)
  assert.ok(start.cut.tokensLeftOut > start.cut.messagesLeftOut * 40)

  const [fits] = await Array.fromAsync(runtime.complete({ messages: talk, cut: 'auto' }))
  assert.ok(fits?.type === 'call-start' && fits.cut === undefined)
})

test('whether to cut, and whether to add what the home says, can be configured', async (t) => {
  const model = scriptedModel({ facts: { window: 2000, maxOutput: 200 } })
  const { runtime } = await opened(t, { model, settings: { completions: { cut: 'auto', prompt: true } } })
  await Array.fromAsync(runtime.complete({ messages: long }))
  assert.match(model.calls[0]?.request.system ?? '', /^You are Foreword/)
  await assert.rejects(Array.fromAsync(runtime.complete({ messages: long, cut: 'none', prompt: false })), {
    code: 'context-overflow',
  })
})

test('results of tools that were shortened are counted, too', async (t) => {
  const model = scriptedModel({ facts: { window: 3000, maxOutput: 200 } })
  const { runtime } = await opened(t, { model })
  const value = 'word '.repeat(4000)
  const messages: readonly AnyMessage[] = [
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'text', value } }],
    },
  ]
  const [start] = await Array.fromAsync(runtime.complete({ messages, cut: 'auto' }))
  assert.ok(start?.type === 'call-start')
  assert.deepEqual([start.cut?.messagesLeftOut, start.cut?.resultsShortened], [0, 1])
})

test('an answer that is asked for larger than the window, and images for a model that cannot see, are refused', async (t) => {
  const model = scriptedModel({ facts: { window: 2000, maxOutput: 200 } })
  const { runtime } = await opened(t, { model })
  await assert.rejects(
    Array.fromAsync(runtime.complete({ messages: talk, maxOutputTokens: 2000 })),
    (error: unknown) => {
      assert.ok(error instanceof RuntimeError)
      assert.deepEqual([error.code, error.facts['parameter']], ['invalid-input', 'max_tokens'])
      return true
    },
  )
  const picture = { type: 'file', mediaType: 'image/png', data: 'AAAA' } as const
  await assert.rejects(
    Array.fromAsync(runtime.complete({ messages: [{ role: 'user', content: [picture] }] })),
    /scripted cannot see images/,
  )
  await Array.fromAsync(runtime.complete({ messages: talk, maxOutputTokens: 300 }))
  assert.equal(model.calls[0]?.options.maxOutputTokens, 300)
  assert.equal(model.calls.length, 1)
})

const answersSecond = (_request: unknown, n: number) =>
  n === 1
    ? { fail: { code: 'context-overflow' as const, facts: { limit: 1_500, sent: 2_600 } } }
    : { text: 'Short enough.' }

test('a completion that the provider finds too large is cut deeper and sent once more, where it may be cut', async (t) => {
  const model = scriptedModel({ facts: { window: 8_000 }, answer: answersSecond })
  const { runtime } = await opened(t, { model })
  const messages = long.slice(0, 21)

  const events = await Array.fromAsync(runtime.complete({ messages, cut: 'auto' }))
  const starts = events.flatMap((event) => (event.type === 'call-start' ? [event] : []))

  assert.equal(starts.length, 2)
  assert.equal(starts[0]?.cut, undefined)
  assert.ok((starts[1]?.cut?.messagesLeftOut ?? 0) > 0)
  assert.equal(events.at(-1)?.type, 'finish')
  const [refused, sent] = await Promise.all(starts.map(({ call }) => runtime.request(call)))
  assert.equal(refused?.call.outcome?.error?.code, 'context-overflow')
  assert.ok(refused && sent)
  assert.ok(sent.call.manifest.used < refused.call.manifest.used)
  assert.ok(refused.identical && sent.identical)

  await Array.fromAsync(runtime.complete({ messages, cut: 'auto' }))
  assert.equal(model.calls.length, 3, 'what the server said it takes is known to the next call')
})

test('a completion that the provider finds too large is refused with its figures, where it may not be cut', async (t) => {
  const model = scriptedModel({ facts: { window: 8_000 }, answer: answersSecond })
  const { runtime } = await opened(t, { model })
  await assert.rejects(Array.fromAsync(runtime.complete({ messages: long.slice(0, 21) })), (error: unknown) => {
    assert.ok(error instanceof RuntimeError && error.code === 'context-overflow')
    assert.deepEqual([error.facts['limit'], error.facts['sent']], [1_500, 2_600])
    return true
  })
  assert.equal(model.calls.length, 1)
})
