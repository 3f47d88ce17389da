import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenAI, APIError, BadRequestError, InternalServerError, NotFoundError } from 'openai'
import { inbox } from '../../src/capability.ts'
import { wav } from '../document/files/wav-file.ts'
import { gateway, PIXEL } from './openai-gateway.ts'
import { TOKEN } from './served.ts'

const model = 'foreword'
const hello = [{ role: 'user' as const, content: 'Hello' }]

test('the request reaches the provider with exactly the messages and tools of the caller', async (t) => {
  const { client, provider } = await gateway(t)
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Look up.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'blue' },
    { role: 'system', content: 'Answer in verse.' },
    { role: 'user', content: 'And now?' },
  ]
  const parameters = { type: 'object', properties: { at: { type: 'string' } } }
  const tools = [{ type: 'function' as const, function: { name: 'look', description: 'Looks.', parameters } }]
  await client.chat.completions.create({ model, messages, tools })
  const { body } = provider.requests[0]!
  assert.deepEqual(body['messages'], messages)
  assert.deepEqual(body['tools'], tools)
})

test('reasoning that a client sends back, and tools with strict schemas, reach the provider, cut or not', async (t) => {
  const { client, provider } = await gateway(t)
  const calls = [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }]
  const messages = [
    { role: 'user', content: 'Look up.' },
    { role: 'assistant', content: null, reasoning_content: 'The sky, then.', tool_calls: calls },
    { role: 'tool', tool_call_id: 'a', content: 'blue' },
    { role: 'assistant', content: 'Blue.', reasoning_content: 'I saw it.' },
    { role: 'user', content: 'And now?' },
  ] as unknown as OpenAI.ChatCompletionMessageParam[]
  const parameters = { type: 'object', properties: {}, required: [], additionalProperties: false }
  const tool = (name: string, more: object) => ({ type: 'function' as const, function: { name, parameters, ...more } })
  const tools = [tool('look', { strict: true }), tool('hear', { strict: false }), tool('smell', {})]
  for (const cut of ['none', 'auto']) {
    await client.chat.completions.create({ model, messages, tools }, { headers: { 'x-foreword-cut': cut } })
    const { body } = provider.requests.at(-1)!
    assert.deepEqual(body['messages'], messages, cut)
    assert.deepEqual(body['tools'], tools, cut)
  }
})

for (const api of ['chat', 'responses'] as const) {
  test(`OpenAI itself (${api}) gets the strictness of each tool as the caller chose it, and none unasked`, async (t) => {
    const { client, provider } = await gateway(t)
    const tool = (name: string, more: object) => ({ type: 'function' as const, function: { name, ...more } })
    const tools = [tool('look', { strict: true }), tool('hear', { strict: false }), tool('smell', {})]
    await client.chat.completions.create({ model: `${api}/scripted`, messages: hello, tools })
    const sent = provider.requests[0]!.body['tools'] as { strict?: boolean; function?: { strict?: boolean } }[]
    assert.deepEqual(
      sent.map((each) => (each.function ?? each).strict),
      [true, false, false],
    )
  })
}

test('a passing fault of the provider is not seen by the caller', async (t) => {
  const { client, provider } = await gateway(t, {
    answer: (_request, n) => (n === 1 ? { status: 503, body: { error: { message: 'busy' } } } : { text: 'Here I am.' }),
  })
  const { choices } = await client.chat.completions.create({ model, messages: hello })
  assert.equal(choices[0]?.message.content, 'Here I am.')
  assert.equal(provider.requests.length, 2)
})

test('parameters are in the request body, and JSON by a schema is parsed', async (t) => {
  const { client, provider } = await gateway(t, { answer: () => ({ text: '{"city": "Bonn"}' }) })
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const answer = await client.chat.completions.parse({
    model,
    messages: hello,
    response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
    stop: ['END'],
    top_p: 0.5,
    seed: 7,
    presence_penalty: 0.5,
    frequency_penalty: 0.25,
    reasoning_effort: 'low',
    n: 1,
  })
  assert.deepEqual(answer.choices[0]?.message.parsed, { city: 'Bonn' })
  const { body } = provider.requests[0]!
  assert.deepEqual(body['response_format'], {
    type: 'json_schema',
    json_schema: { schema, strict: true, name: 'place' },
  })
  assert.deepEqual(
    ['stop', 'top_p', 'seed', 'presence_penalty', 'frequency_penalty', 'reasoning_effort'].map((name) => body[name]),
    [['END'], 0.5, 7, 0.5, 0.25, 'low'],
  )
})

test('a parameter that the model has no place for is refused by its name, and nothing is sent', async (t) => {
  const { client, provider } = await gateway(t, { configuration: anthropic })
  for (const [param, value] of [
    ['seed', 7],
    ['presence_penalty', 0.5],
  ] as const) {
    await assert.rejects(
      client.chat.completions.create({ model, messages: hello, [param]: value }),
      (error: unknown) =>
        error instanceof BadRequestError && error.param === param && error.code === 'unsupported_parameter',
    )
  }
  await assert.rejects(client.chat.completions.create({ model, messages: hello, n: 2 }), BadRequestError)
  assert.equal(provider.requests.length, 0)
})

/** The scripted server spoken to as Anthropic, without a key. */
const anthropic = {
  model: 'lab/claude-sonnet-4-5',
  providers: { lab: { kind: 'anthropic', baseURL: 'http://127.0.0.1:9' } },
}

const long = Array.from({ length: 61 }, (_, n) => ({
  role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
  content: `${n}: ${'word '.repeat(200)}`,
}))

test('messages that do not fit are a BadRequestError that clients know, streamed or not', async (t) => {
  const { client, provider } = await gateway(t)
  for (const stream of [false, true]) {
    await assert.rejects(client.chat.completions.create({ model, messages: long, stream }), (error: unknown) => {
      assert.ok(error instanceof BadRequestError)
      assert.deepEqual(
        [error.status, error.code, error.type, error.param],
        [400, 'context_length_exceeded', 'invalid_request_error', 'messages'],
      )
      assert.match(
        error.message,
        /This model's maximum context length is 8192 tokens\. However, you requested \d+ tokens/,
      )
      return true
    })
  }
  assert.equal(provider.requests.length, 0)
})

test('where cutting is asked for, the answer says what was left out', async (t) => {
  const { client, provider } = await gateway(t)
  const { data, response } = await client.chat.completions
    .create({ model, messages: long }, { headers: { 'x-foreword-cut': 'auto' } })
    .withResponse()
  const sent = (provider.requests[0]!.body['messages'] as unknown[]).length
  const { cut } = (data as unknown as { foreword: { cut: Record<string, number> } }).foreword
  assert.equal(cut['messages'], 61)
  assert.equal(cut['messages_left_out'], 61 - sent)
  assert.match(response.headers.get('x-foreword-cut') ?? '', new RegExp(`^messages=${61 - sent}/61, `))
  assert.ok(!JSON.stringify(provider.requests[0]!.body).includes('You are Foreword'))
})

test('a stream has its usage, its reason and whole tool calls', async (t) => {
  const { client } = await gateway(t, {
    answer: () => ({ text: 'Let me look.', toolCalls: [{ id: 'a', name: 'look', input: { at: 'sky' } }] }),
  })
  const tools = [{ type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } }]
  const stream = client.chat.completions.stream({
    model,
    messages: hello,
    tools,
    stream_options: { include_usage: true },
  })
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const final = await stream.finalChatCompletion()
  const [choice] = final.choices
  assert.equal(choice?.finish_reason, 'tool_calls')
  assert.equal(choice?.message.content, 'Let me look.')
  const [call] = choice?.message.tool_calls ?? []
  assert.deepEqual(call?.type === 'function' && [call.id, call.function.name, call.function.arguments], [
    'a',
    'look',
    '{"at":"sky"}',
  ])
  assert.ok(chunks.slice(0, -1).every(({ usage }) => usage === null))
  assert.ok((chunks.at(-1)?.usage?.prompt_tokens ?? 0) > 0)
  assert.deepEqual(chunks.at(-1)?.choices, [])
})

test('an answer that was cut at its limit is marked', async (t) => {
  const { client } = await gateway(t, { answer: () => ({ text: 'Half of', finish: 'length' }) })
  const { choices } = await client.chat.completions.create({ model, messages: hello, max_tokens: 5 })
  assert.equal(choices[0]?.finish_reason, 'length')
})

test('a stream that fails in the middle ends with an error that the client throws', async (t) => {
  const { client } = await gateway(t, { answer: () => ({ text: 'One two', streamError: { message: 'it broke' } }) })
  const stream = await client.chat.completions.create({ model, messages: hello, stream: true })
  let text = ''
  await assert.rejects(
    async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    },
    (error: unknown) => error instanceof APIError && error.code === 'server',
  )
  assert.equal(text, 'One two')
})

test('errors have the classes of the client', async (t) => {
  const { client } = await gateway(t, { answer: () => ({ status: 401, body: { error: { message: 'no' } } }) })
  await assert.rejects(client.chat.completions.create({ model, messages: hello }), InternalServerError)
  await assert.rejects(client.chat.completions.create({ model: 'nowhere/none', messages: hello }), NotFoundError)
  await assert.rejects(client.models.retrieve('nowhere/none'), NotFoundError)
  await assert.rejects(
    client.chat.completions.create({ model, messages: hello, max_tokens: 8192 }),
    (error: unknown) => error instanceof BadRequestError && error.param === 'max_tokens',
  )
})

test('models tell their windows', async (t) => {
  const { client } = await gateway(t)
  const one = (await client.models.retrieve('lab/scripted')) as unknown as Record<string, unknown>
  assert.deepEqual([one['id'], one['context_length'], one['max_model_len']], ['lab/scripted', 8192, 8192])
  const windows = new Map<string, unknown>()
  for await (const each of client.models.list()) {
    windows.set(each.id, (each as unknown as Record<string, unknown>)['context_length'])
  }
  assert.equal(windows.get('foreword'), 8192)
  assert.equal(windows.get('lab/scripted'), 8192)
  assert.equal(windows.get('rehearsal'), 128_000)
})

const look = (url: string): OpenAI.ChatCompletionMessageParam[] => [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url } },
    ],
  },
]

test('images reach a model that sees, and are refused in a sentence by one that does not', async (t) => {
  const { client, provider } = await gateway(t)
  const url = `data:image/png;base64,${PIXEL}`
  await client.chat.completions.create({ model, messages: look(url) })
  assert.deepEqual(provider.requests[0]!.body['messages'], look(url))

  await assert.rejects(
    client.chat.completions.create({ model: 'lab/blind', messages: look(url) }),
    (error: unknown) => {
      assert.ok(error instanceof BadRequestError)
      assert.match(error.message, /lab\/blind cannot see images/)
      return true
    },
  )
  await assert.rejects(
    client.chat.completions.create({ model, messages: look('https://example.com/cat.png') }),
    /addresses are not fetched.*data:image\/png;base64/,
  )
  assert.equal(provider.requests.length, 1)
})

test('a recording reaches a model that hears, in a call and in a session, and is refused in a sentence by one that does not', async (t) => {
  const heard = { window: 16_384, audio: true }
  const models = { 'lab/scripted': heard, 'lab/deaf': { window: 16_384 } }
  const { client, provider } = await gateway(t, { configuration: { models } })
  const data = wav(1).toString('base64')
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is said?' },
        { type: 'input_audio', input_audio: { data, format: 'wav' } },
      ],
    },
  ]
  await client.chat.completions.create({ model, messages })
  assert.deepEqual(provider.requests[0]!.body['messages'], messages)
  await client.chat.completions.create({ model, user: 'anna', messages })
  await client.chat.completions.create({ model, user: 'anna', messages: hello })
  const times = provider.requests.map(
    ({ bytes }) => bytes.toString().split(`"data":"${data}","format":"wav"`).length - 1,
  )
  assert.deepEqual(times, [1, 1, 1], 'it stays in the conversation')
  await assert.rejects(client.chat.completions.create({ model: 'lab/deaf', messages }), (error: unknown) => {
    assert.ok(error instanceof BadRequestError)
    assert.match(error.message, /lab\/deaf/)
    return true
  })
  assert.equal(provider.requests.length, 3)
})

test('an image may be larger than other bodies', async (t) => {
  const { client, provider } = await gateway(t)
  const large = Buffer.concat([Buffer.from(PIXEL, 'base64'), Buffer.alloc(2_000_000)]).toString('base64')
  await client.chat.completions.create({ model, messages: look(`data:image/png;base64,${large}`) })
  assert.ok(provider.requests[0]!.bytes.byteLength > 2_000_000)
})

test('in a session an image of the last message is kept, and parameters hold for its turn', async (t) => {
  const { client, provider, runtime } = await gateway(t)
  const asked = { model, user: 'anna', temperature: 0.25, messages: look(`data:image/png;base64,${PIXEL}`) }
  const { response } = await client.chat.completions.create(asked).withResponse()
  const { body } = provider.requests[0]!
  assert.equal(body['temperature'], 0.25)
  assert.ok(JSON.stringify(body['messages']).includes(PIXEL))
  const session = response.headers.get('x-foreword-session')!
  const [file] = await runtime.library.files({ type: 'session', id: session })
  assert.equal(file?.name, 'image.png')
})

test('files of useChat are kept with their message, once however often it is sent', async (t) => {
  const { url, provider, runtime } = await gateway(t)
  const parts = [
    { type: 'text', text: 'What is it?' },
    { type: 'file', mediaType: 'image/png', filename: 'cat.png', url: `data:image/png;base64,${PIXEL}` },
    { type: 'file', mediaType: 'text/plain', filename: 'notes.txt', url: 'data:text/plain,A%20cat.' },
  ]
  const say = async () => {
    const response = await fetch(`${url}/api/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'talk', messages: [{ id: 'm1', role: 'user', parts }] }),
    })
    assert.match(await response.text(), /"type":"finish"/)
    return response.headers.get('x-foreword-session')!
  }
  const session = await say()
  assert.equal(await say(), session)
  const sent = JSON.stringify(provider.requests[0]!.body['messages'])
  assert.ok(sent.includes(PIXEL) && sent.includes('A cat.'))
  assert.equal(provider.requests.length, 1)
  const kept = [
    ...(await runtime.library.files({ type: 'session', id: session })),
    ...(await runtime.library.files(inbox)),
  ]
  assert.deepEqual(kept.map(({ name }) => name).toSorted(), ['cat.png', 'notes.txt'])
})

test('a conversation goes through two gateways, and the outer one knows what the inner one takes', async (t) => {
  const inner = await gateway(t)
  const outer = await gateway(t, {
    configuration: {
      model: 'inner/lab/scripted',
      providers: {
        inner: { kind: 'openai-compatible', baseURL: `${inner.url}/v1`, headers: { authorization: `Bearer ${TOKEN}` } },
      },
    },
  })
  const { choices } = await outer.client.chat.completions.create({ model, messages: hello })
  assert.equal(choices[0]?.message.content, 'ok')
  const { facts } = await outer.runtime.model()
  assert.deepEqual([facts.window, facts.source, facts.vision], [8192, 'provider', true])
})
