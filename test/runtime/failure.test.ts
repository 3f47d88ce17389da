import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedModel } from '../../src/testing.ts'
import { gate, opened, tool } from './opened.ts'

test('a provider that fails after some words leaves those words, and says why it failed', async (t) => {
  const model = scriptedModel({
    answer: (_, n) => (n === 1 ? { text: 'The answer is', fail: 'network' } : { text: 'ok' }),
  })
  const { say, log, runtime } = await opened(t, { model })
  const { session, text, outcome, calls } = await say('hello')
  assert.equal(text, 'The answer is')
  assert.equal(outcome?.type === 'failed' && outcome.code, 'network')
  assert.equal(model.calls.length, 1)
  const said = (await log(session)).find((entry) => entry.type === 'message')
  assert.equal(said?.type === 'message' && said.partial, 'interrupted')
  assert.equal((await runtime.store.call(calls[0]!))?.outcome?.error?.code, 'network')
  await say('again', { session })
  assert.match(JSON.stringify(model.calls[1]?.request.messages[1]), /The answer is\\n\[.*broke off.*\]/)
  assert.deepEqual((await runtime.replay(session)).different, [])
})

for (const fault of ['server', 'network', 'rate-limit'] as const) {
  test(`a passing fault (${fault}) before the first word is tried again, and the same request is sent`, async (t) => {
    const model = scriptedModel({ answer: (_, n) => (n < 3 ? { fail: fault } : { text: 'there I am' }) })
    const { say } = await opened(t, { model })
    const { text, outcome, calls } = await say('hello')
    assert.deepEqual([text, outcome, calls.length, model.calls.length], ['there I am', { type: 'completed' }, 1, 3])
    assert.deepEqual(model.calls[2]?.request, model.calls[0]?.request)
  })
}

test('a fault that does not pass ends the turn with its code, and the input stays in the log', async (t) => {
  const model = scriptedModel({ answer: (_, n) => (n <= 3 ? { fail: 'server' } : { text: 'ok' }) })
  const { say, log } = await opened(t, { model })
  const { session, outcome, text } = await say('remember this')
  assert.deepEqual([outcome?.type === 'failed' && outcome.code, text, model.calls.length], ['server', '', 3])
  assert.equal((await log(session)).filter((entry) => entry.type === 'input').length, 1)
  await say('and this', { session })
  const { messages } = model.calls[3]!.request
  assert.deepEqual(
    messages.map(({ content }) => content),
    ['remember this', 'and this'],
  )
})

test('a provider that wants to be left alone for long is not waited for', async (t) => {
  const model = scriptedModel({ answer: () => ({ fail: { code: 'rate-limit', facts: { retryAfterMs: 3_600_000 } } }) })
  const { say } = await opened(t, { model })
  const { outcome } = await say('hello')
  assert.deepEqual([outcome?.type === 'failed' && outcome.code, model.calls.length], ['rate-limit', 1])
})

for (const code of ['auth', 'quota', 'bad-request', 'model-not-found', 'content-filter', 'timeout'] as const) {
  test(`a failure that a retry cannot fix (${code}) is not retried`, async (t) => {
    const model = scriptedModel({ answer: () => ({ fail: code }) })
    const { say } = await opened(t, { model })
    const { outcome } = await say('hello')
    assert.deepEqual([outcome?.type === 'failed' && outcome.code, model.calls.length], [code, 1])
  })
}

test('cancelling while a call waits to be tried again ends the turn, and its call has an end', async (t) => {
  const failed = gate()
  const model = scriptedModel({
    answer: () => {
      failed.open()
      return { fail: 'server' }
    },
  })
  const { runtime, ended } = await opened(t, { model, settings: { retryDelaysMs: [60_000] } })
  const submitted = await runtime.submit({ text: 'hello' })
  await failed.passed
  await new Promise((resolve) => setTimeout(resolve, 5))
  await runtime.cancel(submitted.session, submitted.turn)
  const { outcome, calls } = await ended(submitted)
  assert.deepEqual([outcome, model.calls.length], [{ type: 'cancelled' }, 1])
  assert.equal((await runtime.store.call(calls[0]!))?.outcome?.error?.code, 'cancelled')
})

test('a request that the provider finds too large is cut deeper and sent once more', async (t) => {
  const model = scriptedModel({
    answer: (_, n) => {
      if (n < 13) return { text: `answer ${n}: ${'word '.repeat(150)}` }
      return n === 13
        ? { fail: { code: 'context-overflow', facts: { limit: 1200, sent: 2600 } } }
        : { text: 'It fits.' }
    },
  })
  const { say, runtime, log } = await opened(t, { model })
  const { session } = await say('question 1')
  for (let n = 2; n <= 12; n += 1) await say(`question ${n}`, { session })
  const { text, outcome, calls } = await say('question 13', { session })
  assert.deepEqual([text, outcome, calls.length], ['It fits.', { type: 'completed' }, 2])
  const [refused, taken] = await Promise.all(calls.map((call) => runtime.store.call(call)))
  assert.equal(refused?.outcome?.error?.code, 'context-overflow')
  assert.ok(taken!.manifest.used < 1200 && taken!.manifest.used < refused.manifest.used / 2)
  assert.ok((await log(session)).some((entry) => entry.type === 'cut'))
  assert.deepEqual(await runtime.replay(session), { session, calls: 14, identical: 14, different: [] })
})

test('a request that is still too large after a deeper cut fails with the reason', async (t) => {
  const facts = { status: 413, detail: 'Request Entity Too Large: 1 MB is taken' }
  const model = scriptedModel({ answer: () => ({ fail: { code: 'context-overflow', facts } }) })
  const { say, runtime } = await opened(t, { model })
  const { outcome } = await say('hello '.repeat(500))
  assert.ok(outcome?.type === 'failed' && outcome.code === 'context-overflow')
  assert.match(
    outcome.message,
    /^the script asked for the failure context-overflow\. What must/,
    "the provider's words are kept",
  )
  assert.ok(model.calls.length <= 2)
  const messages = [{ role: 'user', content: 'hello' }] as const
  await assert.rejects(Array.fromAsync(runtime.complete({ messages })), {
    code: 'context-overflow',
    message: /It said: Request Entity Too Large: 1 MB is taken$/,
  })
})

test('input that cannot fit is never sent; its account is in the ledger and it stays in the log', async (t) => {
  const model = scriptedModel({ facts: { window: 2000, maxOutput: 500 } })
  const { say, runtime, log } = await opened(t, { model })
  const { session, outcome, calls } = await say('far too much '.repeat(2000))
  assert.equal(outcome?.type === 'failed' && outcome.code, 'context-overflow')
  assert.match(outcome?.type === 'failed' ? outcome.message : '', /Shorten the input/)
  assert.deepEqual([model.calls.length, calls.length], [0, 1])
  const record = await runtime.store.call(calls[0]!)
  assert.equal(record?.outcome?.error?.code, 'context-overflow')
  assert.ok(record.manifest.entries.some((entry) => entry.slot === 'input' && entry.tokens > 2000))
  assert.ok((await log(session)).some((entry) => entry.type === 'input'))
  assert.deepEqual(await runtime.replay(session), { session, calls: 1, identical: 1, different: [] })
  await assert.rejects(runtime.request(calls[0]!), { code: 'context-overflow' })
  assert.equal((await say('shorter', { session })).outcome?.type, 'completed')
})

test('an answer to a prompt that the server cut is no answer', async (t) => {
  const model = scriptedModel({ answer: () => ({ fail: 'prompt-truncated' }) })
  const { say } = await opened(t, { model })
  const { outcome, text } = await say('hello')
  assert.deepEqual([outcome?.type === 'failed' && outcome.code, text, model.calls.length], ['prompt-truncated', '', 1])
})

test('every call says what the prompt costs at least, so that a server that cuts it is found out', async (t) => {
  const model = scriptedModel()
  const { say, runtime } = await opened(t, { model })
  const { calls } = await say('hello')
  const { used } = (await runtime.store.call(calls[0]!))!.manifest
  const { leastPromptTokens } = model.calls[0]!.options
  assert.ok(leastPromptTokens! > 0 && leastPromptTokens! < used)
})

test('a failure after the tools ran keeps their results', async (t) => {
  let runs = 0
  const once = tool('once', async () => {
    runs += 1
    return { ok: true, output: 'it is done' }
  })
  const model = scriptedModel({
    answer: (_, n) => {
      if (n === 1) return { toolCalls: [{ name: 'once', input: {} }] }
      return n === 2 ? { fail: 'auth' } : { text: 'ok' }
    },
  })
  const { say } = await opened(t, { model, tools: [once] })
  const { session, outcome } = await say('do it')
  assert.equal(outcome?.type === 'failed' && outcome.code, 'auth')
  await say('did you?', { session })
  assert.match(JSON.stringify(model.calls[2]?.request.messages), /it is done/)
  assert.equal(runs, 1)
})

test('an unknown model is rejected, and a turn fails if its model has disappeared', async (t) => {
  const before = await opened(t, { model: scriptedModel({ id: 'nobody/nothing' }) })
  const agent = await before.runtime.agents.create({ name: 'Lost', prompt: '', model: 'nobody/nothing' })
  const { runtime, say } = await before.reopened({ model: scriptedModel() })
  const { session } = await say('hello')
  const { entries } = (await runtime.store.session(session))!
  const unknown = { text: 'hello', session, model: 'nobody/nothing' }
  await assert.rejects(runtime.submit(unknown), { code: 'model-not-found' })
  assert.equal((await runtime.store.session(session))?.entries, entries)
  await assert.rejects(runtime.agents.create({ name: 'Other', model: 'nobody/nothing' }), { code: 'model-not-found' })
  await runtime.setAgent(session, agent.id)
  const { outcome } = await say('hello', { session })
  await runtime.setAgent(session, undefined)
  assert.equal(outcome?.type === 'failed' && outcome.code, 'model-not-found')
  await assert.rejects(runtime.setModel(session, 'nobody/nothing'), { code: 'model-not-found' })
  assert.equal((await say('still there?', { session })).outcome?.type, 'completed')
})

test('empty input is refused, and nothing of it is kept', async (t) => {
  const { runtime } = await opened(t)
  await assert.rejects(runtime.submit({ text: ' \n' }), { name: 'RuntimeError', code: 'invalid-input' })
  await assert.rejects(runtime.submit({ session: 'session_nowhere', text: 'hello' }), {
    name: 'RuntimeError',
    code: 'not-found',
  })
  assert.deepEqual(await runtime.store.sessions(), [])
})
