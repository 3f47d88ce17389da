import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AssistantMessage, Manifest, Message } from '../../context.ts'
import { runScenario } from '../../context/scenario.ts'
import { type CallOptions, ModelError, type ModelEvent, type ModelRequest, type ResponseFormat } from '../../model.ts'
import { rehearsalModel } from './rehearsal-model.ts'
import { systemClock } from '../../platform.ts'

const signal = new AbortController().signal

async function call(
  messages: readonly Message[],
  options: Partial<CallOptions> = {},
  more: Partial<ModelRequest> = {},
) {
  const events: ModelEvent[] = []
  for await (const event of rehearsalModel(systemClock).call({ tools: [], messages, ...more }, { signal, ...options }))
    events.push(event)
  const finish = events.at(-1)
  assert.ok(finish?.type === 'finish')
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event] : []))
  return { text, calls, finish, deltas: events.filter(({ type }) => type === 'text-delta').length }
}

const user = (content: string): Message => ({ role: 'user', content })
const said = (message: AssistantMessage): Message => message
const results = (message: AssistantMessage): Message => ({
  role: 'tool',
  content: (typeof message.content === 'string' ? [] : message.content).flatMap((part) =>
    part.type === 'tool-call'
      ? [
          {
            type: 'tool-result' as const,
            toolCallId: part.toolCallId,
            toolName: part.toolName,
            output: { type: 'text' as const, value: 'r' },
          },
        ]
      : [],
  ),
})

test('it answers with the account of what it was sent, in plain words, word by word, with usage', async () => {
  const turnOf = (content: string, tokens: number) => ({ messages: [{ role: 'user', content, tokens }] })
  const { manifest } = runScenario({
    layout: 'auto',
    budget: { window: 5_000, reserve: 1_000 },
    counter: 'declared',
    layers: [{ id: 'system-prompt', layer: 'system-prompt', text: 'You are brief.', tokens: 1_200 }],
    history: [
      { id: 't1', ...turnOf('One', 4_000) },
      { id: 't2', ...turnOf('Two', 100) },
    ],
    current: { id: 't3', ...turnOf('hi', 12) },
    tools: [{ name: 'read_file', inputSchema: {}, tokens: 40 }],
  }) as { readonly manifest: Manifest }
  const { text, deltas, finish } = await call([user('hi')], { account: manifest })
  assert.equal(
    text,
    `This is a rehearsal: no model has read your message. A model would have read 1,352 of the 5,000 tokens of its window:

- Tools, 40 tokens: read_file
- Instructions, 1,200 tokens: system prompt
- Conversation, 100 tokens: turn 2
- This turn, 12 tokens

Shortened, changed or left out:

- Turn 1 left out: 4,000 tokens wanted, 648 were free after the cut to half of the room.`,
  )
  assert.ok(deltas > 3)
  assert.equal(finish.reason, 'stop')
  assert.equal(finish.usage.promptTokens, 1_352)
  assert.ok((finish.usage.outputTokens ?? 0) > 0)
})

test('without an account it lists roles and sizes', async () => {
  const tools = [{ name: 'search', inputSchema: {} }]
  const { text } = await call([user('hi')], {}, { system: 'Be brief.', tools })
  assert.match(text, /\n- tools: search\n- system: \d+ tokens\n- user: \d+ tokens$/)
})

test('a script continues after the results of its parallel calls, from the request alone', async () => {
  const script = user('Please:\n/say Let me see.\n/call search {"q": "x"}\n/call now\n/say Found it.')
  const first = await call([script])
  assert.equal(first.text, 'Let me see.')
  assert.deepEqual(
    first.calls.map(({ toolName, input }) => ({ toolName, input })),
    [
      { toolName: 'search', input: { q: 'x' } },
      { toolName: 'now', input: {} },
    ],
  )
  assert.equal(first.finish.reason, 'tool-calls')
  const { message } = first.finish
  const reminder = user('Cite your sources.')
  const second = await call([script, said(message), results(message), reminder])
  assert.equal(second.text, 'Found it.')
  const third = await call([script, said(message), results(message), said(second.finish.message), user('and now?')])
  assert.match(third.text, /rehearsal/)
  assert.notEqual(new Set(first.calls.map(({ toolCallId }) => toolCallId)).size, 1)
  assert.deepEqual(await call([script]), first)
})

test('with toolChoice none it calls no tool and reports it', async () => {
  const { text, calls, finish } = await call([user('/call search {}')], { toolChoice: 'none' })
  assert.deepEqual(calls, [])
  assert.match(text, /call no tool.*search/)
  assert.equal(finish.reason, 'stop')
})

test('a failure of any code can be asked for, at once or in the middle', async () => {
  const code = (wanted: string) => (error: unknown) => error instanceof ModelError && error.code === wanted
  await assert.rejects(call([user('/fail context-overflow')]), code('context-overflow'))
  const received: string[] = []
  await assert.rejects(async () => {
    const stream = rehearsalModel(systemClock).call(
      { tools: [], messages: [user('/say one two three four\n/fail network 2')] },
      { signal },
    )
    for await (const event of stream) if (event.type === 'text-delta') received.push(event.text)
  }, code('network'))
  assert.deepEqual(received, ['one ', 'two '])
})

test('cancelling a slow answer ends it', async () => {
  const controller = new AbortController()
  const stream = rehearsalModel(systemClock).call(
    { tools: [], messages: [user('/slow 60000\n/say one two three')] },
    { signal: controller.signal },
  )
  await stream.next()
  const next = stream.next()
  controller.abort()
  await assert.rejects(next, (error) => error instanceof ModelError && error.code === 'cancelled')
})

for (const line of ['/call', '/call search {"q":', '/fail nonsense', '/slow soon']) {
  test(`a line that cannot be read is answered with how it is written: ${line}`, async () => {
    assert.match((await call([user(line)])).text, /is written .*This one is not: \//)
  })
}

test('its window can be set, and it speaks over no wire', async () => {
  assert.equal(rehearsalModel(systemClock, { window: 100_000 }).facts.window, 100_000)
})

test('its window is large enough for coding agents', () => {
  const { window, maxOutput } = rehearsalModel(systemClock).facts
  assert.deepEqual([window, maxOutput], [128_000, 8_192])
})

test('an answer ends where the caller wants it to stop', async () => {
  const { text } = await call([user('/say one two three')], { parameters: { stop: ['four', ' two'] } })
  assert.equal(text, 'one')
})

test('asked for JSON it answers JSON, by the schema where there is one', async () => {
  const properties = { city: { type: 'string' }, size: { $ref: '#/$defs/size' }, tags: { type: 'array' } }
  const schema = {
    type: 'object',
    properties,
    required: ['city', 'size', 'tags'],
    $defs: { size: { enum: ['S', 'L'] } },
  }
  const answer = async (responseFormat: ResponseFormat, text = 'hello') =>
    JSON.parse((await call([user(text)], { parameters: { responseFormat } })).text) as unknown
  assert.deepEqual(await answer({ type: 'json', schema }), { city: 'rehearsal', size: 'S', tags: [] })
  assert.deepEqual(Object.keys((await answer({ type: 'json' })) as object), ['rehearsal'])
  assert.deepEqual(await answer({ type: 'json', schema }, '/say {"city": "Bonn"}'), { city: 'Bonn' })
})

test('a tool that has to be called is called', async () => {
  const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  const tools = [
    { name: 'one', inputSchema },
    { name: 'two', inputSchema },
  ]
  for (const [toolChoice, name] of [['required', 'one'] as const, [{ toolName: 'two' }, 'two'] as const]) {
    const { calls } = await call([user('hello')], { parameters: { toolChoice } }, { tools })
    assert.deepEqual(
      calls.map(({ toolName, input }) => [toolName, input]),
      [[name, { n: 0 }]],
    )
  }
})
