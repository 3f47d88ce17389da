import assert from 'node:assert/strict'
import { test } from 'node:test'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema'
import Anthropic, { APIError, AuthenticationError, BadRequestError, NotFoundError } from '@anthropic-ai/sdk'
import { anthropicGateway as gateway } from './anthropic-gateway.ts'
import { TOKEN } from './served.ts'

const hello = [{ role: 'user' as const, content: 'Hello' }]
const asked = { model: 'foreword', max_tokens: 500, messages: hello }
const claude = { ...asked, model: 'anthropic/claude-sonnet-4-5' }

/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const look: Anthropic.Tool = {
  name: 'look',
  description: 'Looks.',
  input_schema: { type: 'object', properties: { at: { type: 'string' } } },
}

test('an answer in one piece has its blocks, its usage, its cost and the id of its call', async (t) => {
  const { client } = await gateway(t, {
    answer: () => ({
      reasoning: 'A greeting.',
      signature: 'c2lnbmVk',
      text: 'Good day.',
      usage: { promptTokens: 100, cachedTokens: 60, cacheWrittenTokens: 10, outputTokens: 7 },
    }),
  })
  const { data, response } = await client.messages.create(claude).withResponse()
  assert.deepEqual(data.content, [
    { type: 'thinking', thinking: 'A greeting.', signature: 'c2lnbmVk' },
    { type: 'text', text: 'Good day.' },
  ])
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = data.usage
  assert.deepEqual([input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens], [30, 60, 10, 7])
  assert.deepEqual([data.type, data.role, data.stop_reason], ['message', 'assistant', 'end_turn'])
  const call = response.headers.get('x-foreword-call')!
  assert.equal(data.id, `msg_${call}`)
  assert.equal(response.headers.get('request-id'), call)
  const { foreword } = data as unknown as { foreword: { calls: string[]; cost: number } }
  assert.deepEqual(foreword.calls, [call])
  assert.ok(foreword.cost > 0)
})

test('a stream has the same message as the answer in one piece, block by block', async (t) => {
  const { client } = await gateway(t, {
    answer: () => ({
      reasoning: ['Let me ', 'see.'],
      signature: 'c2lnbmVk',
      text: ['I ', 'look.'],
      toolCalls: [
        { id: 'toolu_1', name: 'look', input: { at: 'sky' } },
        { id: 'toolu_2', name: 'look', input: { at: 'sea' } },
      ],
      usage: { promptTokens: 100, outputTokens: 7 },
    }),
  })
  const body = { ...claude, tools: [look] }
  const whole = await client.messages.create(body)
  const stream = client.messages.stream(body)
  const types: string[] = []
  stream.on('streamEvent', (event) => void types.push(event.type))
  const streamed = await stream.finalMessage()
  assert.deepEqual(streamed.content, whole.content)
  assert.deepEqual(
    streamed.content.map(({ type }) => type),
    ['thinking', 'text', 'tool_use', 'tool_use'],
  )
  assert.deepEqual(streamed.usage.input_tokens, whole.usage.input_tokens)
  assert.deepEqual([streamed.stop_reason, streamed.usage.output_tokens], ['tool_use', 7])
  assert.deepEqual(
    types.filter((type) => type !== 'content_block_delta'),
    [
      'message_start',
      ...Array.from({ length: 4 }, () => ['content_block_start', 'content_block_stop']).flat(),
      'message_delta',
      'message_stop',
    ],
  )
})

test('tools go round: the call comes back with its result, and thinking with its signature', async (t) => {
  const { client, provider } = await gateway(t, {
    answer: (_request, n) =>
      n === 1
        ? {
            reasoning: 'I have to look.',
            signature: 'c2lnbmVk',
            toolCalls: [{ id: 'toolu_1', name: 'look', input: { at: 'sky' } }],
          }
        : { text: 'Blue.' },
  })
  const first = await client.messages.create({ ...claude, tools: [look], tool_choice: { type: 'auto' } })
  const content: Anthropic.ContentBlockParam[] = [
    {
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: [
        { type: 'text', text: 'blue' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
      ],
    },
    { type: 'text', text: 'Well?' },
  ]
  const second = await client.messages.create({
    ...claude,
    tools: [look],
    messages: [...hello, { role: 'assistant', content: first.content }, { role: 'user', content }],
  })
  assert.deepEqual(second.content, [{ type: 'text', text: 'Blue.' }])
  const sent = withoutMarks(provider.requests[1]!.body['messages']) as Anthropic.MessageParam[]
  assert.deepEqual(sent, [
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    { role: 'assistant', content: first.content },
    { role: 'user', content },
  ])
  const [{ name, description, input_schema }] = provider.requests[1]!.body['tools'] as [Anthropic.Tool]
  assert.deepEqual({ name, description, input_schema }, look)
})

test('a tool that failed is told as failed', async (t) => {
  const { client, provider } = await gateway(t)
  const messages: Anthropic.MessageParam[] = [
    ...hello,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: 'too dark' }],
    },
  ]
  await client.messages.create({ ...claude, tools: [look], messages })
  const [, , result] = withoutMarks(provider.requests[0]!.body['messages']) as Anthropic.MessageParam[]
  assert.deepEqual(result!.content, [
    { type: 'tool_result', tool_use_id: 'toolu_1', content: 'too dark', is_error: true },
  ])
})

test('images, texts and documents reach a model that can read them, and no address is fetched', async (t) => {
  const { client, provider } = await gateway(t)
  const ask = (block: Anthropic.ContentBlockParam, model = 'anthropic/claude-sonnet-4-5') =>
    client.messages.create({ ...asked, model, messages: [{ role: 'user', content: [block] }] })
  const image: Anthropic.ContentBlockParam = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: PIXEL },
  }
  await ask(image)
  await ask({ type: 'image', source: { type: 'url', url: `data:image/png;base64,${PIXEL}` } })
  for (const { body } of provider.requests) {
    const [message] = withoutMarks(body['messages']) as Anthropic.MessageParam[]
    assert.deepEqual(message!.content, [image])
  }
  await ask(image, 'foreword')
  assert.ok(JSON.stringify(provider.requests[2]!.body['messages']).includes(`data:image/png;base64,${PIXEL}`))

  const pdf = Buffer.from('%PDF-1.4 nothing').toString('base64')
  await ask({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } })
  assert.match(JSON.stringify(provider.requests[3]!.body['messages']), new RegExp(pdf))
  await ask({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'The tide is high.' } })
  assert.match(JSON.stringify(provider.requests[4]!.body['messages']), /The tide is high\./)
  await assert.rejects(ask({ type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } }), (error) => {
    assert.ok(error instanceof BadRequestError)
    assert.match(error.message, /messages\.0\.content\.0\.source\.url: .*addresses are not fetched/)
    return true
  })
})

test('an answer by a schema is parsed, and the parameters are on the wire', async (t) => {
  const { client, provider } = await gateway(t, { answer: () => ({ text: '{"city": "Bonn"}' }) })
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  } as const
  const answer = await client.messages.parse({
    ...claude,
    temperature: 0.25,
    top_k: 7,
    stop_sequences: ['END'],
    system: [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'In verse.' },
    ],
    output_config: { format: jsonSchemaOutputFormat(schema) },
  })
  assert.deepEqual(answer.parsed_output, { city: 'Bonn' })
  const { body } = provider.requests[0]!
  assert.deepEqual(
    [body['temperature'], body['top_k'], body['stop_sequences'], body['max_tokens']],
    [0.25, 7, ['END'], 500],
  )
  assert.deepEqual(withoutMarks(body['system']), [
    { type: 'text', text: 'Be brief.' },
    { type: 'text', text: 'In verse.' },
  ])
  assert.deepEqual((body['output_config'] as { format: object }).format, { type: 'json_schema', schema })
})

test('tokens are counted without a call, as what would be sent is counted for the call', async (t) => {
  const { client, provider, runtime } = await gateway(t)
  const system = 'You are a very careful reader of long texts.'
  const { input_tokens: short } = await client.messages.countTokens({ model: 'foreword', messages: hello })
  const { input_tokens: long } = await client.messages.countTokens({
    model: 'foreword',
    messages: hello,
    system,
    tools: [look],
  })
  assert.ok(short > 0 && long > short + 10, `${short}, ${long}`)
  assert.equal(provider.requests.length, 0)
  const { request_id } = await client.messages.create({ ...asked, system, tools: [look] }).withResponse()
  const { manifest } = (await runtime.store.call(request_id!))!
  assert.equal((manifest as { used: number }).used, long)
  const larger = await client.messages.countTokens({
    model: 'foreword',
    messages: [{ role: 'user', content: 'word '.repeat(20_000) }],
  })
  assert.ok(larger.input_tokens > 15_000)
})

test('models are listed with their window and their longest answer', async (t) => {
  const { client, url } = await gateway(t)
  const ids: string[] = []
  for await (const model of client.models.list({ limit: 1 })) ids.push(model.id)
  assert.equal(ids[0], 'foreword')
  assert.ok(ids.includes('anthropic/claude-sonnet-4-5'))
  assert.equal(new Set(ids).size, ids.length)
  const model = await client.models.retrieve('foreword')
  assert.deepEqual(
    [model.type, model.id, model.display_name, model.max_input_tokens, model.max_tokens],
    ['model', 'foreword', 'lab/scripted', 8192, 4096],
  )
  const named = await client.models.retrieve('anthropic/claude-sonnet-4-5')
  assert.deepEqual([named.max_input_tokens, named.max_tokens], [200_000, 64_000])
  await assert.rejects(client.models.retrieve('nobody/nothing'), (error) => error instanceof NotFoundError)

  const headers = { authorization: `Bearer ${TOKEN}` }
  const openai = (await (await fetch(`${url}/v1/models`, { headers })).json()) as { object: string }
  assert.equal(openai.object, 'list')
})

/** A failure as the client reads it. */
async function failureOf(asking: Promise<unknown>) {
  const error = await asking.then(
    () => assert.fail('nothing was thrown'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof APIError)
  const { error: inner } = error.error as { error: { type: string; message: string } }
  return { status: error.status, type: inner.type, message: inner.message, headers: error.headers, error }
}

test('errors have the types and statuses that clients act on', async (t) => {
  const { client, url } = await gateway(t)
  const keyless = new Anthropic({ apiKey: 'wrong', baseURL: url, maxRetries: 0 })
  const unknown = await failureOf(keyless.messages.create(asked))
  assert.ok(unknown.error instanceof AuthenticationError)
  assert.deepEqual([unknown.status, unknown.type], [401, 'authentication_error'])
  assert.match(unknown.error.requestID!, /^req_/)
  const bearer = new Anthropic({ authToken: TOKEN, apiKey: null, baseURL: url, maxRetries: 0 })
  assert.equal((await bearer.messages.create(asked)).type, 'message')

  const cases: readonly (readonly [object, number, string, RegExp])[] = [
    [{ messages: [] }, 400, 'invalid_request_error', /body\.messages/],
    [
      { model: 'lab/none', max_tokens: 5, messages: [{ role: 'robot', content: 'x' }] },
      400,
      'invalid_request_error',
      /role/,
    ],
    [{ model: 'nobody/nothing' }, 404, 'not_found_error', /nobody/],
    [
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      400,
      'invalid_request_error',
      /tool that Anthropic defines/,
    ],
    [
      { mcp_servers: [{ type: 'url', url: 'https://a.example', name: 'a' }] },
      400,
      'invalid_request_error',
      /mcp_servers/,
    ],
    [{ tool_choice: { type: 'any' } }, 400, 'invalid_request_error', /tool_choice/],
    [
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] }] },
      400,
      'invalid_request_error',
      /tool_use_id/,
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'x' }] }] },
      400,
      'invalid_request_error',
      /container_upload/,
    ],
  ]
  for (const [change, status, type, message] of cases) {
    const failure = await failureOf(
      client.messages.create({ ...asked, ...change } as Anthropic.MessageCreateParamsNonStreaming),
    )
    assert.deepEqual([failure.status, failure.type], [status, type], JSON.stringify(change))
    assert.match(failure.message, message)
  }
})

test('a prompt that does not fit is refused in the words that clients parse, with less of it as the maximum', async (t) => {
  const { client, provider } = await gateway(t)
  const messages = [{ role: 'user' as const, content: 'word '.repeat(20_000) }]
  const { status, type, message } = await failureOf(client.messages.create({ ...asked, messages }))
  assert.deepEqual([status, type], [400, 'invalid_request_error'])
  const found = /^prompt is too long: (\d+) tokens > (\d+) maximum$/.exec(message)
  assert.ok(found, message)
  assert.ok(Number(found[1]) > Number(found[2]))
  assert.equal(provider.requests.length, 0)
})

test('the most that an answer may have is no room that a prompt has to leave', async (t) => {
  const { client, provider } = await gateway(t)
  const ask = (messages: Anthropic.MessageParam[]) =>
    client.messages.stream({ ...asked, max_tokens: 128_000, messages }).finalMessage()
  await ask(hello)
  assert.equal(provider.requests[0]!.body['max_tokens'] ?? provider.requests[0]!.body['max_completion_tokens'], 4096)
  await ask([{ role: 'user', content: 'word '.repeat(4_500) }])
  const most = Number(provider.requests[1]!.body['max_tokens'])
  assert.ok(most >= 2048 && most < 4096, String(most))
})

test('failures of the provider have the types of Anthropic, and say whether to ask again', async (t) => {
  const said: { status: number; body: object }[] = []
  const { client } = await gateway(t, { answer: () => said.shift() ?? { text: 'ok' } })
  const fail = (status: number, message: string) => {
    said.push({ status, body: { error: { type: 'error', message } } })
    return failureOf(client.messages.create(asked))
  }
  const limited = await fail(429, 'slow down')
  assert.deepEqual([limited.status, limited.type], [429, 'rate_limit_error'])
  assert.ok(limited.headers?.get('retry-after'))
  const empty = await fail(429, 'insufficient_quota')
  assert.deepEqual([empty.status, empty.type], [402, 'billing_error'])
  const key = await fail(401, 'bad key')
  assert.deepEqual([key.status, key.type, key.headers?.get('x-should-retry')], [502, 'api_error', 'false'])
  const down = await fail(500, 'broken')
  assert.deepEqual([down.status, down.type, down.headers?.get('x-should-retry')], [502, 'api_error', null])
})

test('a failure amid a stream is an event that the client throws, with its type', async (t) => {
  const { client } = await gateway(t, { answer: () => ({ text: 'One', streamError: { message: 'overloaded' } }) })
  const words: string[] = []
  const stream = client.messages.stream(claude).on('text', (text) => void words.push(text))
  await assert.rejects(stream.finalMessage(), (error) => {
    assert.ok(error instanceof APIError)
    assert.match(error.message, /"type":"error".*"type":"api_error"/)
    return true
  })
  assert.deepEqual(words, ['One'])
})

test('an abort ends the call at the provider', async (t) => {
  const { client, provider } = await gateway(t, { answer: () => ({ text: ['One ', 'two'], hangAfter: 4 }) })
  const stream = client.messages.stream(claude)
  await new Promise<void>((resolve) => void stream.on('text', () => resolve()))
  stream.abort()
  await assert.rejects(stream.finalMessage(), /abort/i)
  while (!provider.requests[0]!.cancelled) await new Promise((resolve) => setImmediate(resolve))
})

test('a session is named by a header, and what it decides itself is named as ignored', async (t) => {
  const { client, runtime } = await gateway(t, { answer: ({ newest }) => ({ text: `You said: ${newest}` }) })
  const { data, response } = await client.messages
    .create(
      { ...asked, system: 'Be brief.', metadata: { user_id: 'anna' } },
      { headers: { 'x-foreword-session': 'new', 'idempotency-key': 'once' } },
    )
    .withResponse()
  assert.deepEqual(data.content, [{ type: 'text', text: 'You said: Hello' }])
  assert.equal(response.headers.get('x-foreword-ignored'), 'metadata, max_tokens, system')
  const session = response.headers.get('x-foreword-session')!
  assert.equal((await runtime.store.session(session))?.id, session)
  const again = client.messages.stream(asked, { headers: { 'x-foreword-session': session } })
  assert.equal(await again.finalText(), 'You said: Hello')
  const refused = await failureOf(
    client.messages.create({ ...asked, tools: [look] }, { headers: { 'x-foreword-session': session } }),
  )
  assert.match(refused.message, /in a session the gateway runs its own tools/)
})

test('an answer of a session has every kind of token of its calls', async (t) => {
  const usage = { promptTokens: 100, cachedTokens: 60, cacheWrittenTokens: 10, outputTokens: 7 }
  const { client } = await gateway(t, { answer: () => ({ text: 'Good day.', usage }) })
  const { usage: tokens } = await client.messages.create(claude, { headers: { 'x-foreword-session': 'new' } })
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = tokens
  assert.deepEqual([input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens], [30, 60, 10, 7])
})

/** Without the marks of caches, which the gateway sets. */
function withoutMarks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === 'cache_control' ? undefined : each)))
}

for (const stream of [false, true]) {
  test(`the tool runner of the client goes round${stream ? ' in streams' : ''}, though no thread is kept`, async (t) => {
    let count = 0
    const { client, provider } = await gateway(t, {
      answer: () => {
        const id = `toolu_${count++}`
        return count > 3
          ? { text: 'It is blue.' }
          : { text: 'Let me.', toolCalls: [{ id, name: 'look', input: { at: 'sky' } }] }
      },
    })
    const tools = [
      betaTool({
        name: 'look',
        description: 'Looks.',
        inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
        run: ({ at }) => `${at}: blue`,
      }),
    ]
    const { content } = await client.beta.messages
      .toolRunner({ ...asked, messages: hello, tools, stream })
      .runUntilDone()
    assert.deepEqual(content, [{ type: 'text', text: 'It is blue.' }])
    // What the client said once more after a thread that was not found was no call, and nothing of it is missing.
    assert.equal(provider.requests.length, 4)
    const last = JSON.stringify(provider.requests.at(-1)?.body)
    for (const each of ['Hello', 'Let me.', 'toolu_0', 'toolu_1', 'toolu_2', 'sky: blue'])
      assert.ok(last.includes(each), each)
  })
}

test('a thread that should go on is not found, and the client names it so', async (t) => {
  const { client } = await gateway(t, { answer: () => ({ text: 'Hi.' }) })
  const thread = { type: 'continue' as const, previous_message_id: 'msg_1' }
  const isLost = (error: unknown) => error instanceof NotFoundError && error.errorCode === 'thread_not_found'
  await assert.rejects(client.beta.messages.create({ ...asked, thread }), isLost)
  await assert.rejects(
    client.beta.messages.countTokens({ model: asked.model, messages: hello, thread } as never),
    isLost,
  )
  const { response } = await client.beta.messages.create({ ...asked, thread: { type: 'create' } }).withResponse()
  assert.equal(response.headers.get('x-foreword-ignored'), 'thread')
})
