import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelError, type ModelErrorCode, type Models } from '../../src/model.ts'
import { isAnswered } from '../../src/runtime.ts'
import type { TurnOutcome } from '../../src/session.ts'
import { scriptedModel, scriptedModels, type ScriptedReply } from '../../src/testing.ts'
import { gate, opened, tool } from './opened.ts'

interface Ending {
  readonly what: string
  readonly reply: ScriptedReply
  readonly outcome: TurnOutcome
  readonly text: string
  readonly notice: RegExp | undefined
  /** What the model reads of it in the next turn. */
  readonly history: string
}

const endings: readonly Ending[] = [
  {
    what: 'an answer that its model ended',
    reply: { text: 'All of it.' },
    outcome: { type: 'completed' },
    text: 'All of it.',
    notice: undefined,
    history: 'All of it.',
  },
  {
    what: 'an answer that was cut at its limit',
    reply: { text: 'The first half', reasoning: 'Hm.', finish: 'length' },
    outcome: { type: 'length', limit: 'tokens' },
    text: 'The first half',
    notice: /cut at its length limit.*`go on`/,
    history: 'The first half\n[This answer was cut here at its length limit.]',
  },
  {
    what: 'no words at all',
    reply: {},
    outcome: { type: 'empty' },
    text: '',
    notice: /no answer.*said nothing/,
    history: '[No answer was given: the model said nothing.]',
  },
  {
    what: 'reasoning alone',
    reply: { reasoning: 'I wonder.' },
    outcome: { type: 'reasoning-only' },
    text: '',
    notice: /no answer.*reasoned and said nothing/,
    history: '[No answer was given: the model reasoned and then said nothing.]',
  },
  {
    what: 'reasoning that used up the whole limit',
    reply: { reasoning: 'I wonder and wonder', finish: 'length' },
    outcome: { type: 'reasoning-only', limit: 'tokens' },
    text: '',
    notice: /Raise context\.reserve, or lower agent\.reasoning/,
    history: '[No answer was given: the model reasoned and then said nothing.]',
  },
  {
    what: 'an answer that content rules stopped',
    reply: { text: 'You take the', finish: 'content-filter' },
    outcome: { type: 'content-filter' },
    text: 'You take the',
    notice: /content rules/,
    history: "You take the\n[This answer was stopped here by the provider's content rules.]",
  },
  {
    what: 'an answer that ended for no reason that anybody knows',
    reply: { text: 'And so', finish: 'other' },
    outcome: { type: 'other' },
    text: 'And so',
    notice: /may be incomplete/,
    history: 'And so\n[This answer ended here for a reason that the provider did not name.]',
  },
]

for (const { what, reply, outcome, text, notice, history } of endings) {
  test(`${what} is reported as ${outcome.type}, also to the model`, async (t) => {
    const model = scriptedModel({ answer: (_, n) => (n === 1 ? reply : { text: 'ok' }) })
    const { say, runtime, store } = await opened(t, { model })
    const view = await say('hello')
    const { session, turn } = view
    assert.deepEqual([view.outcome, view.text], [outcome, text])
    if (notice) assert.match(view.notice ?? '', notice)
    else assert.equal(view.notice, undefined)
    assert.equal((await store.turn(session, turn))?.state, outcome.type)
    await say('and now?', { session })
    const [, answer] = model.calls[1]!.request.messages
    const content = answer?.content
    assert.equal(
      typeof content === 'string' ? content : content?.map((part) => 'text' in part && part.text).join(),
      history,
    )
    assert.deepEqual((await runtime.replay(session)).different, [])
  })
}

test('only words that came count as an answer', () => {
  assert.deepEqual(
    endings.map(({ outcome }) => isAnswered(outcome)),
    [true, true, false, false, false, false, true],
  )
})

test('an answer without an end of its own keeps what it costs in a history, its label included', async (t) => {
  const model = scriptedModel({ answer: (_, n) => (n === 1 ? { text: 'Half', finish: 'length' } : { text: 'ok' }) })
  const { say, log, runtime } = await opened(t, { model })
  const { session } = await say('hello')
  const { calls } = await say('go on', { session })
  const said = (await log(session)).find((entry) => entry.type === 'message')
  const manifest = (await runtime.store.call(calls[0]!))!.manifest
  const turn = manifest.entries.find(({ slot }) => slot === 'history')
  const input = (await log(session)).find((entry) => entry.type === 'input')
  assert.ok(said?.type === 'message' && input?.type === 'input')
  assert.equal(turn?.tokens, said.tokens.full + input.tokens.full)
})

test('an interrupted answer is kept, the person reads how to continue, and the model continues from there', async (t) => {
  const model = scriptedModel({
    answer: (_, n) => (n === 1 ? { text: 'One, two,', fail: 'network' } : { text: ' three.' }),
  })
  const { say, log } = await opened(t, { model })
  const { session, outcome, text, notice } = await say('count')
  assert.deepEqual([outcome?.type === 'failed' && outcome.code, text], ['network', 'One, two,'])
  assert.match(notice ?? '', /is kept\. Say `go on` to continue it/)
  assert.equal(model.calls.length, 1)
  const said = (await log(session)).find((entry) => entry.type === 'message')
  assert.equal(said?.type === 'message' && said.partial, 'interrupted')
  await say('go on', { session })
  const [, broken] = model.calls[1]!.request.messages
  assert.equal(
    broken?.content,
    'One, two,\n[This answer was interrupted here: the model call broke off. Go on from here if you are asked to.]',
  )
})

test('a call that has streamed reasoning or a tool call is not silently repeated', async (t) => {
  for (const heard of [{ reasoning: 'Hm.' }, { reasoning: 'Hm.', toolCalls: [] }]) {
    const model = scriptedModel({ answer: () => ({ ...heard, fail: 'network' }) })
    const { say } = await opened(t, { model })
    const { outcome } = await say('hello')
    assert.deepEqual([outcome?.type === 'failed' && outcome.code, model.calls.length], ['network', 1])
  }
})

test('a call waits up to a minute for a provider that restarts, and clients see it', async (t) => {
  const waits: number[] = []
  const model = scriptedModel({ answer: (_, n) => (n < 7 ? { fail: 'network' } : { text: 'Back.' }) })
  const setting = await opened(t, {
    model,
    settings: { retryDelaysMs: [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000] },
    sleep: async (milliseconds) => void waits.push(milliseconds),
  })
  const { session, turn } = await setting.runtime.submit({ text: 'hello' })
  const events = await Array.fromAsync(setting.runtime.events(session, { turn }))
  const retries = events.flatMap((event) => (event.type === 'retry' ? [event] : []))
  assert.deepEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 8_000])
  assert.deepEqual(
    retries.map(({ attempt, waitMs, code }) => [attempt, waitMs, code]),
    waits.map((wait, index) => [index + 2, wait, 'network']),
  )
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length)
  assert.deepEqual((await setting.ended({ session, turn })).outcome, { type: 'completed' })
})

test('a provider that is asked about its model before a turn is waited for likewise, unless waiting cannot help', async (t) => {
  const waits: number[] = []
  const model = scriptedModel({ answer: () => ({ text: 'Back.' }) })
  const failures: ModelErrorCode[] = ['network', 'rate-limit']
  const models: Models = {
    ...scriptedModels(model),
    async model(id) {
      const code = failures.shift()
      if (code) throw new ModelError(code, 'It is not up.', { provider: 'scripted', model: id })
      return model
    },
  }
  const setting = await opened(t, {
    models,
    settings: { model: 'scripted', retryDelaysMs: [500, 1_000, 2_000] },
    sleep: async (milliseconds) => void waits.push(milliseconds),
  })
  const submitted = await setting.runtime.submit({ text: 'hello' })
  const events = await Array.fromAsync(setting.runtime.events(submitted.session, { turn: submitted.turn }))
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'retry' ? [[event.attempt, event.waitMs, event.code]] : [])),
    [
      [2, 500, 'network'],
      [3, 1_000, 'rate-limit'],
    ],
  )
  assert.deepEqual([(await setting.ended(submitted)).text, waits], ['Back.', [500, 1_000]])

  failures.push('auth')
  const other = await opened(t, { models, settings: { model: 'scripted' }, sleep: async (ms) => void waits.push(ms) })
  const { outcome } = await other.say('hello')
  assert.deepEqual([outcome?.type === 'failed' && outcome.code, waits.length], ['auth', 2])
})

test('no wait ends later than the configuration allows', async (t) => {
  const waits: number[] = []
  const model = scriptedModel({ answer: () => ({ fail: 'network' }) })
  const setting = await opened(t, {
    model,
    settings: { retryDelaysMs: Array.from({ length: 100 }, () => 9_000), retryForMs: 30_000 },
    sleep: async (milliseconds) => {
      waits.push(milliseconds)
      await setting.clock.advance(milliseconds)
    },
  })
  const { outcome } = await setting.say('hello')
  assert.deepEqual([outcome?.type === 'failed' && outcome.code, waits], ['network', [9_000, 9_000, 9_000]])
})

test('a provider that says how long to wait is waited for that long', async (t) => {
  const waits: number[] = []
  const facts = { status: 503, retryAfterMs: 25_000 }
  const model = scriptedModel({ answer: (_, n) => (n === 1 ? { fail: { code: 'server', facts } } : { text: 'Back.' }) })
  const { say } = await opened(t, { model, sleep: async (milliseconds) => void waits.push(milliseconds) })
  assert.deepEqual([(await say('hello')).text, waits], ['Back.', [25_000]])
})

test('a server that is not up yet is waited for, and one that fails by itself is asked three times', async (t) => {
  for (const [status, asked] of [
    [502, 7],
    [503, 7],
    [504, 7],
    [529, 7],
    [500, 3],
    [501, 3],
  ] as const) {
    const model = scriptedModel({ answer: () => ({ fail: { code: 'server', facts: { status } } }) })
    const { say } = await opened(t, { model, settings: { retryDelaysMs: [1, 1, 1, 1, 1, 1] }, sleep: async () => {} })
    assert.equal((await say('hello')).outcome?.type, 'failed')
    assert.deepEqual([status, model.calls.length], [status, asked])
  }
})

test('tools of a turn whose next call waits for its provider run once', async (t) => {
  let runs = 0
  const once = tool('once', async () => {
    runs += 1
    return { ok: true, output: 'done' }
  })
  const model = scriptedModel({
    answer: (_, n) => {
      if (n === 1) return { toolCalls: [{ name: 'once', input: {} }] }
      return n === 2 ? { fail: 'network' } : { text: 'Done.' }
    },
  })
  const { say } = await opened(t, { model, tools: [once] })
  assert.deepEqual([(await say('do it')).text, runs, model.calls.length], ['Done.', 1, 3])
})

test('a reader that comes while a call waits is shown that it waits', async (t) => {
  const asleep = gate()
  const model = scriptedModel({ answer: (_, n) => (n === 1 ? { fail: 'network' } : { text: 'Back.' }) })
  const wake = gate()
  const { runtime } = await opened(t, {
    model,
    sleep: () => {
      asleep.open()
      return wake.passed
    },
  })
  const { session, turn } = await runtime.submit({ text: 'hello' })
  await asleep.passed
  const types: string[] = []
  for await (const event of runtime.events(session, { turn })) {
    types.push(event.type === 'entry' ? event.entry.type : event.type)
    if (event.type === 'retry') wake.open()
  }
  assert.deepEqual(types, ['input', 'turn-start', 'assembly', 'retry', 'text-delta', 'message', 'usage', 'turn-end'])
})
