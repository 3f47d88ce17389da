import assert from 'node:assert/strict'
import { test } from 'node:test'
import { framed, type ToolMessage } from '../../src/context.ts'
import { type ModelRequest } from '../../src/model.ts'
import { scriptedModel } from '../../src/testing.ts'
import { aroundEntries, collected, gate, opened, tool } from './opened.ts'

const silent = {
  promptTokens: undefined,
  cachedTokens: undefined,
  cacheWrittenTokens: undefined,
  outputTokens: undefined,
  reasoningTokens: undefined,
}

/** The texts of a request's messages, as `role: text`. */
function told({ messages }: ModelRequest): readonly string[] {
  return messages.map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : kinds(content)}`)
}

function kinds(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map((part) => part.text ?? part.type).join(', ')
}

/** What the tools of the newest step answered, in the order the model reads it. */
function results(request: ModelRequest | undefined): ToolMessage['content'] {
  const message = request?.messages.findLast(({ role }) => role === 'tool') as ToolMessage | undefined
  return message?.content ?? []
}

test('one message in, one answer out, and the whole turn in the log', async (t) => {
  const model = scriptedModel({
    answer: () => ({ text: 'Hello there', usage: { promptTokens: 250, outputTokens: 3 } }),
  })
  const { say, log, runtime } = await opened(t, { model })
  const { session, turn, text, outcome, totals, calls } = await say('hello')
  assert.equal(text, 'Hello there')
  assert.deepEqual(outcome, { type: 'completed' })
  assert.deepEqual(totals, { calls: 1, promptTokensBilled: 250, cachedTokensBilled: undefined, outputTokensBilled: 3 })
  const entries = await log(session)
  assert.deepEqual(
    entries.map((entry) => entry.type),
    ['session-start', 'input', 'turn-start', 'assembly', 'message', 'usage', 'turn-end'],
  )
  assert.deepEqual(
    entries.map((entry) => entry.seq),
    [1, 2, 3, 4, 5, 6, 7],
  )
  assert.ok(entries.slice(1).every((entry) => 'turn' in entry && entry.turn === turn))
  const record = await runtime.store.call(calls[0]!)
  assert.equal(record?.outcome?.finish, 'stop')
  assert.deepEqual(record?.outcome?.usage, { promptTokens: 250, outputTokens: 3 })
  assert.equal(model.calls[0]?.options.maxOutputTokens, 2048)
  assert.equal(model.calls[0]?.options.window, 8192)
})

test('the second turn reads the first', async (t) => {
  const model = scriptedModel()
  const { say } = await opened(t, { model })
  const { session } = await say('first')
  await say('second', { session })
  assert.deepEqual(told(model.calls[1]!.request), ['user: first', 'assistant: ok', 'user: second'])
})

test('tools run in parallel, and their results are in the order of the calls', async (t) => {
  const both = gate()
  let running = 0
  const meet = tool('meet', async (input) => {
    running += 1
    if (running === 2) both.open()
    await both.passed
    return { ok: true, output: `met ${(input as { name: string }).name}` }
  })
  const ended: string[] = []
  const model = scriptedModel({
    answer: (_, n) =>
      n === 1
        ? {
            text: 'Let me see.',
            toolCalls: [
              { id: 'a', name: 'meet', input: { name: 'Ann' } },
              { id: 'b', name: 'meet', input: { name: 'Bob' } },
            ],
          }
        : { text: 'done' },
  })
  const { say, log } = await opened(t, { model, tools: [meet] })
  const { session, text } = await say('go')
  assert.equal(text, 'done')
  assert.deepEqual(
    results(model.calls[1]?.request).map((part) => part.type === 'tool-result' && [part.toolCallId, part.output]),
    [
      ['a', { type: 'text', value: framed('met Ann', { what: 'result of meet', as: 'material' }) }],
      ['b', { type: 'text', value: framed('met Bob', { what: 'result of meet', as: 'material' }) }],
    ],
  )
  for (const entry of await log(session)) ended.push(entry.type)
  assert.deepEqual(ended.slice(3), [
    'assembly',
    'message',
    'usage',
    'tool-start',
    'tool-start',
    'tool-end',
    'tool-end',
    'message',
    'assembly',
    'message',
    'usage',
    'turn-end',
  ])
})

test('a tool that fails, one that does not exist and input that is wrong are results that the model reads', async (t) => {
  const strict = tool('strict', async () => ({ ok: true, output: 'fine' }), {
    inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  })
  const broken = tool('broken', async () => {
    throw new Error('the disk is on fire')
  })
  const model = scriptedModel({
    answer: (_, n) =>
      n === 1
        ? {
            toolCalls: [
              { name: 'broken', input: {} },
              { name: 'nothing', input: {} },
              { name: 'strict', input: { n: 'one' } },
              { name: 'strict', input: '{"n": 1' },
            ],
          }
        : { text: 'I see.' },
  })
  const { say } = await opened(t, { model, tools: [strict, broken] })
  assert.deepEqual((await say('go')).outcome, { type: 'completed' })
  const read = results(model.calls[1]?.request).map((part) => (part.type === 'tool-result' ? part.output : undefined))
  assert.deepEqual(
    read.map((output) => output?.type),
    ['error-text', 'error-text', 'error-text', 'error-text'],
  )
  const texts = read.map((output) => (output?.type === 'error-text' ? output.value : ''))
  assert.match(texts[0]!, /the disk is on fire/)
  assert.match(texts[1]!, /no tool named nothing/)
  assert.match(texts[2]!, /invalid input for strict/)
  assert.equal(texts[3]!, 'arguments must be an object')
})

for (const toolChoiceNone of [true, false]) {
  const how = toolChoiceNone ? 'is told to call none of its tools' : 'that cannot be told so is offered none'
  test(`in its last step a model ${how}, and reads a reminder at the very end`, async (t) => {
    const again = tool('again', async () => ({ ok: true, output: 'once more' }))
    const model = scriptedModel({
      facts: { toolChoiceNone },
      answer: (_, n) => (n < 3 ? { toolCalls: [{ name: 'again', input: {} }] } : { text: 'That is all I have.' }),
    })
    const { say, runtime } = await opened(t, { model, tools: [again], settings: { maxSteps: 3 } })
    const { session, text, outcome, calls } = await say('go')
    assert.deepEqual([text, outcome, calls.length], ['That is all I have.', { type: 'completed' }, 3])
    const [first, , last] = model.calls
    assert.equal(first?.options.toolChoice, 'auto')
    assert.equal(last?.options.toolChoice, 'none')
    const offered = last?.request.tools.map(({ name }) => name)
    assert.deepEqual(offered, toolChoiceNone ? ['again', 'read_result', 'read_history'] : [])
    const newest = last?.request.messages.at(-1)
    assert.equal(newest?.role, 'user')
    assert.match(JSON.stringify(newest), /last step of this turn/)
    assert.doesNotMatch(JSON.stringify(first?.request), /last step of this turn/)
    assert.deepEqual((await runtime.replay(session)).different, [])
  })
}

test('a model that calls a tool in its last step all the same ends its turn with what it said', async (t) => {
  let runs = 0
  const again = tool('again', async () => {
    runs += 1
    return { ok: true, output: 'once more' }
  })
  const model = scriptedModel({ answer: () => ({ text: 'Once more.', toolCalls: [{ name: 'again', input: {} }] }) })
  const { say } = await opened(t, { model, tools: [again], settings: { maxSteps: 2 } })
  const { session, text, outcome } = await say('go')
  assert.deepEqual([text, outcome, runs, model.calls.length], ['Once more.', { type: 'completed' }, 1, 2])
  await say('and now?', { session })
  assert.deepEqual(told(model.calls[2]!.request).slice(-2), ['assistant: Once more.', 'user: and now?'])
})

test('a turn fails if the model calls a tool in its last step and answers nothing', async (t) => {
  const model = scriptedModel({ answer: () => ({ toolCalls: [{ name: 'again', input: {} }] }) })
  const again = tool('again', async () => ({ ok: true, output: 'once more' }))
  const { say } = await opened(t, { model, tools: [again], settings: { maxSteps: 2 } })
  const { outcome } = await say('go')
  assert.equal(outcome?.type === 'failed' && outcome.code, 'no-answer')
  assert.equal(model.calls.length, 2)
})

test('cancelling keeps what was said, and the next request says that it was stopped', async (t) => {
  const spoken = gate()
  const model = scriptedModel({
    answer: (_, n) => {
      if (n > 1) return { text: 'Very well.' }
      return {
        text: 'Once upon a time',
        before(piece) {
          if (piece === 2) spoken.open()
          return piece === 2 ? new Promise(() => {}) : undefined
        },
      }
    },
  })
  const { runtime, say, ended, log } = await opened(t, { model })
  const submitted = await runtime.submit({ text: 'tell me a story' })
  await spoken.passed
  assert.equal(await runtime.cancel(submitted.session, submitted.turn), true)
  const { outcome, text, calls } = await ended(submitted)
  assert.deepEqual([outcome, text], [{ type: 'cancelled' }, 'Once upon '])
  assert.equal(await runtime.cancel(submitted.session, submitted.turn), false)
  const said = (await log(submitted.session)).find((entry) => entry.type === 'message')
  assert.equal(said?.type === 'message' && said.partial, 'cancelled')
  assert.equal((await runtime.store.call(calls[0]!))?.outcome?.error?.code, 'cancelled')
  await say('a shorter one', { session: submitted.session })
  assert.match(told(model.calls[1]!.request)[1]!, /^assistant: Once upon \n\[.*stopped.*\]$/)
})

test('a turn that waits can be cancelled, and never calls the model', async (t) => {
  const held = gate()
  const model = scriptedModel({ answer: () => ({ text: 'ok', before: () => held.passed }) })
  const { runtime, ended } = await opened(t, { model })
  const first = await runtime.submit({ text: 'first' })
  const second = await runtime.submit({ session: first.session, text: 'second' })
  assert.deepEqual(
    [
      (await runtime.status()).running,
      (await runtime.status()).queued,
      await runtime.cancel(second.session, second.turn),
    ],
    [1, 1, true],
  )
  held.open()
  assert.deepEqual((await ended(first)).outcome, { type: 'completed' })
  assert.deepEqual((await ended(second)).outcome, { type: 'cancelled' })
  assert.equal(model.calls.length, 1)
})

test('cancelling while a tool runs leaves no call without its result', async (t) => {
  const running = gate()
  const patient = tool('patient', async (_, { signal }) => {
    running.open()
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { ok: true, output: 'never mind' }
  })
  const model = scriptedModel({
    answer: (_, n) => (n === 1 ? { toolCalls: [{ id: 'a', name: 'patient', input: {} }] } : { text: 'ok' }),
  })
  const { runtime, say, ended } = await opened(t, { model, tools: [patient] })
  const submitted = await runtime.submit({ text: 'go' })
  await running.passed
  await runtime.cancel(submitted.session, submitted.turn)
  assert.deepEqual((await ended(submitted)).outcome, { type: 'cancelled' })
  await say('and now?', { session: submitted.session })
  assert.deepEqual(told(model.calls[1]!.request), [
    'user: go',
    'assistant: tool-call',
    'tool: tool-result',
    'user: and now?',
  ])
})

test('cancelling between a call and its tool runs nothing and leaves no call without its result', async (t) => {
  let runs = 0
  const never = tool('never', async () => {
    runs += 1
    return { ok: true, output: 'ran' }
  })
  const model = scriptedModel({
    answer: (_, n) => (n === 1 ? { toolCalls: [{ id: 'a', name: 'never', input: {} }] } : { text: 'ok' }),
  })
  const { runtime, say, ended, log } = await opened(t, {
    model,
    tools: [never],
    around: (store) =>
      aroundEntries(store, async ({ session, bodies }, write) => {
        const written = await write()
        const calling = bodies.find((body) => body.type === 'message')
        if (calling && model.calls.length === 1) await runtime.cancel(session, calling.turn)
        return written
      }),
  })
  const submitted = await runtime.submit({ text: 'go' })
  assert.deepEqual((await ended(submitted)).outcome, { type: 'cancelled' })
  assert.equal(runs, 0)
  const messages = (await log(submitted.session)).flatMap((entry) =>
    entry.type === 'message' ? [entry.message.role] : [],
  )
  assert.deepEqual(messages, ['assistant', 'tool'])
  await say('and now?', { session: submitted.session })
  assert.equal(told(model.calls[1]!.request).length, 4)
})

test('what a provider did not say about tokens is not made up', async (t) => {
  const { say, runtime, log } = await opened(t)
  const { session, totals, calls } = await say('hello')
  assert.deepEqual(totals, {
    calls: 1,
    promptTokensBilled: undefined,
    cachedTokensBilled: undefined,
    outputTokensBilled: undefined,
  })
  const usage = (await log(session)).find((entry) => entry.type === 'usage')
  assert.deepEqual({ ...silent, ...(usage?.type === 'usage' ? usage.usage : {}) }, silent)
  assert.deepEqual((await runtime.store.call(calls[0]!))?.outcome?.usage, {})
})

test('a model reasons as much as configured, or as its provider does by default', async (t) => {
  const model = scriptedModel()
  const one = await opened(t, { model, settings: { reasoning: 'low' } })
  await one.say('hello')
  const other = await one.reopened({ settings: {} })
  await other.say('hello')
  assert.deepEqual(
    model.calls.map(({ options }) => options.reasoning),
    ['low', undefined],
  )
})

test('a model with an assumed window is reported once, with a hint', async (t) => {
  const model = scriptedModel({ id: 'lab/new', facts: { window: 8192, source: 'assumed' } })
  const { say, warnings, runtime } = await opened(t, { model })
  await say('hello')
  await say('hello again')
  assert.equal(warnings.length, 1)
  assert.match(warnings[0]!, /window of lab\/new .* 8,192 tokens are assumed.*"models": \{"lab\/new": \{"window"/)
  assert.deepEqual((await runtime.status()).warnings, warnings)
})

test('the first turn of a session reads nothing back from the log, nor does who watches it', async (t) => {
  const read: string[] = []
  const look = tool('look', async () => ({ ok: true, output: 'blue' }))
  const answer = (_: unknown, n: number) => (n === 1 ? { toolCalls: [{ name: 'look', input: {} }] } : { text: 'Blue.' })
  const { runtime } = await opened(t, {
    model: scriptedModel({ answer }),
    tools: [look],
    around: (store) => ({
      ...store,
      async entries(...args) {
        read.push('entries')
        return store.entries(...args)
      },
      async recentTurns(...args) {
        read.push('recentTurns')
        return store.recentTurns(...args)
      },
    }),
  })
  const { session, turn } = await runtime.submit({ text: 'Which colour?' })
  const events = await collected(runtime.events(session, { turn }))
  assert.equal(events.findLast(({ type }) => type === 'text-delta')?.type, 'text-delta')
  assert.deepEqual(read, [])
})
