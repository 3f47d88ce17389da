import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenAI, APIError, APIUserAbortError, BadRequestError, NotFoundError } from 'openai'
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import type { ScriptedProviderOptions } from '../../src/testing.ts'
import { gateway, PIXEL } from './openai-gateway.ts'

const model = 'foreword'

const BUDGET = /This call may need [\d,]+ tokens; 1 tokens are left of 1 tokens for the day\./

const look = {
  type: 'function' as const,
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
  strict: false,
}

/** Asks for a tool until a result came, then says what it was. */
const seesBlue: ScriptedProviderOptions['answer'] = ({ body }) => {
  const messages = JSON.stringify(body['messages'])
  return messages.includes('blue')
    ? { text: 'It is blue.' }
    : {
        reasoning: 'I should look.',
        text: 'Let me look.',
        toolCalls: [{ id: 'a', name: 'look', input: { at: 'sky' } }],
      }
}

test('a stream has the events of OpenAI in their order, each with its number', async (t) => {
  const { client } = await gateway(t, { answer: seesBlue })
  const stream = client.responses.stream({ model, input: 'What colour is the sky?', tools: [look] })
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  assert.deepEqual(
    events.map(({ sequence_number: number }) => number),
    events.map((_, index) => index),
  )
  const types = events.map(({ type }) => type.replace('response.', ''))
  assert.deepEqual(
    types.filter((type, at) => type !== types[at - 1]),
    [
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ],
  )
  const final = await stream.finalResponse()
  assert.deepEqual(
    final.output.map(({ type }) => type),
    ['reasoning', 'message', 'function_call'],
  )
  assert.deepEqual([final.status, final.output_text], ['completed', 'Let me look.'])
})

test('a tool of the client goes round, by its items or by the id of the response', async (t) => {
  const { client, provider } = await gateway(t, { answer: seesBlue })
  const asked = [{ role: 'user' as const, content: 'What colour is the sky?' }]
  const first = await client.responses.create({ model, input: asked, tools: [look] })
  const call = first.output.find((item) => item.type === 'function_call')!
  assert.deepEqual([call.call_id, call.name, call.arguments], ['a', 'look', '{"at":"sky"}'])
  const output = { type: 'function_call_output' as const, call_id: call.call_id, output: 'blue' }
  const sent = () => provider.requests.at(-1)!.body['messages']
  const expected = [
    { role: 'user', content: 'What colour is the sky?' },
    {
      role: 'assistant',
      content: 'Let me look.',
      reasoning_content: 'I should look.',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'blue' },
  ]

  const input = [...asked, ...first.output, output] as OpenAI.Responses.ResponseInput
  assert.equal((await client.responses.create({ model, input, tools: [look] })).output_text, 'It is blue.')
  assert.deepEqual(sent(), expected)

  const previous = { previous_response_id: first.id, input: [output] }
  const next = await client.responses.create({ model, ...previous, tools: [look] })
  assert.deepEqual([next.output_text, next.previous_response_id], ['It is blue.', first.id])
  assert.deepEqual(sent(), expected)

  const references = first.output.map(({ id }) => ({ type: 'item_reference' as const, id: id! }))
  await client.responses.create({ model, input: [...asked, ...references, output], tools: [look] })
  assert.deepEqual(sent(), expected)
})

test('the client parses the arguments of a strict function', async (t) => {
  const { client } = await gateway(t, { answer: seesBlue })
  const tool = zodResponsesFunction({ name: 'look', parameters: z.object({ at: z.string() }) })
  const { output } = await client.responses.parse({ model, input: 'What colour is the sky?', tools: [tool] })
  const call = output.find((item) => item.type === 'function_call')
  assert.deepEqual(call?.parsed_arguments, { at: 'sky' })
})

test('structured output is parsed by the client, and its schema reaches the provider', async (t) => {
  const { client, provider } = await gateway(t, { answer: () => ({ text: '{"city": "Bonn"}' }) })
  const format = zodTextFormat(z.object({ city: z.string() }), 'place')
  const answer = await client.responses.parse({
    model,
    input: 'Where?',
    instructions: 'Be brief.',
    text: { format },
    temperature: 0.25,
    top_p: 0.5,
    reasoning: { effort: 'low' },
    max_output_tokens: 100,
  })
  assert.deepEqual(answer.output_parsed, { city: 'Bonn' })
  const { body } = provider.requests[0]!
  const sent = body['response_format'] as { type: string; json_schema: { name: string; strict: boolean } }
  assert.deepEqual([sent.type, sent.json_schema.name, sent.json_schema.strict], ['json_schema', 'place', true])
  assert.deepEqual(
    ['temperature', 'top_p', 'reasoning_effort', 'max_tokens'].map((name) => body[name]),
    [0.25, 0.5, 'low', 100],
  )
  assert.deepEqual(body['messages'], [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Where?' },
  ])
})

test('images and files of an input and of an output of a tool reach the model', async (t) => {
  const { client, provider } = await gateway(t)
  const image_url = `data:image/png;base64,${PIXEL}`
  const image = { type: 'input_image' as const, image_url, detail: 'auto' as const }
  await client.responses.create({
    model,
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'What is it?' }, image] },
      { type: 'function_call', call_id: 'a', name: 'view', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'A cat:' }, image] },
    ],
  })
  const sent = provider.requests[0]!.body['messages'] as { role: string; content: unknown }[]
  assert.deepEqual(sent[0]!.content, [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: image_url } },
  ])
  assert.match(JSON.stringify(sent[2]!.content), /A cat:/)
  await assert.rejects(
    client.responses.create({ model: 'lab/blind', input: [{ role: 'user', content: [image] }] }),
    (error: unknown) => error instanceof BadRequestError && error.param === 'input',
  )
  const address = { ...image, image_url: 'https://example.com/cat.png' }
  await assert.rejects(
    client.responses.create({ model, input: [{ role: 'user', content: [address] }] }),
    /input\.0\.content\.0\.image_url: the file begins with https:, and addresses are not fetched/,
  )
})

test('a custom tool gets its input as text, and one of a namespace keeps its name', async (t) => {
  const { client, provider } = await gateway(t, {
    answer: () => ({
      toolCalls: [
        { id: 'a', name: 'patch', input: { input: '*** Begin' } },
        { id: 'b', name: 'crm__find', input: { name: 'Ann' } },
      ],
    }),
  })
  const find = { type: 'function' as const, name: 'find', parameters: { type: 'object' }, strict: false }
  const stream = await client.responses.create({
    model,
    stream: true,
    input: 'Patch it.',
    tools: [
      {
        type: 'custom',
        name: 'patch',
        description: 'Patches.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      },
      { type: 'namespace', name: 'crm', description: 'Customers.', tools: [find] },
    ],
  })
  const items: OpenAI.Responses.ResponseOutputItem[] = []
  for await (const event of stream) if (event.type === 'response.output_item.done') items.push(event.item)
  const [patch, found] = items
  assert.deepEqual(patch?.type === 'custom_tool_call' && [patch.call_id, patch.name, patch.input], [
    'a',
    'patch',
    '*** Begin',
  ])
  assert.deepEqual(found?.type === 'function_call' && [found.call_id, found.namespace, found.name, found.arguments], [
    'b',
    'crm',
    'find',
    '{"name":"Ann"}',
  ])
  assert.deepEqual(provider.requests[0]!.tools, ['patch', 'crm__find'])
  assert.match(JSON.stringify(provider.requests[0]!.body['tools']), /must follow this grammar \(lark\)/)
  const items2 = [...items, { type: 'custom_tool_call_output' as const, call_id: 'a', output: 'done' }]
  const output = { type: 'function_call_output' as const, call_id: 'b', output: 'none' }
  await client.responses.create({ model, input: [...items2, output] as OpenAI.Responses.ResponseInput })
  const sent = provider.requests[1]!.body['messages'] as { tool_calls?: { function: { arguments: string } }[] }[]
  assert.deepEqual(
    sent[0]?.tool_calls?.map((call) => call.function),
    [
      { name: 'patch', arguments: '{"input":"*** Begin"}' },
      { name: 'crm__find', arguments: '{"name":"Ann"}' },
    ],
  )
})

test('usage has its details as far as the provider reported them', async (t) => {
  const { client } = await gateway(t, {
    answer: () => ({
      text: 'ok',
      usage: { promptTokens: 100, cachedTokens: 40, outputTokens: 20, reasoningTokens: 5 },
    }),
  })
  const { usage } = await client.responses.create({ model, input: 'Hello' })
  assert.deepEqual(usage, {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 120,
  })
})

test('an answer that was cut at its limit is incomplete, and says why', async (t) => {
  const { client } = await gateway(t, { answer: () => ({ text: 'Half of', finish: 'length' }) })
  const stream = client.responses.stream({ model, input: 'Hello', max_output_tokens: 5 })
  const types: string[] = []
  for await (const { type } of stream) types.push(type)
  assert.equal(types.at(-1), 'response.incomplete')
  const whole = await client.responses.create({ model, input: 'Hello', max_output_tokens: 5 })
  assert.deepEqual([whole.status, whole.incomplete_details], ['incomplete', { reason: 'max_output_tokens' }])
})

const long: OpenAI.Responses.ResponseInput = Array.from({ length: 61 }, (_, n) => ({
  role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
  content: `${n}: ${'word '.repeat(200)}`,
}))

test('an input that does not fit is refused with the code that clients know, and in a stream as a failed response', async (t) => {
  const { client, provider } = await gateway(t)
  await assert.rejects(client.responses.create({ model, input: long }), (error: unknown) => {
    assert.ok(error instanceof BadRequestError)
    assert.deepEqual([error.status, error.code, error.param], [400, 'context_length_exceeded', 'input'])
    assert.match(error.message, /Your input exceeds the context window of this model\..*maximum context length is 8192/)
    return true
  })
  const stream = await client.responses.create({ model, input: long, stream: true })
  const last = await onlyFailure(stream)
  assert.deepEqual([last.response.status, last.response.error?.code], ['failed', 'context_length_exceeded'])
  assert.match(last.response.id, /^resp_call_/)
  assert.equal(provider.requests.length, 0)
})

test('with truncation the oldest items are left out, and the answer says how many', async (t) => {
  const { client, provider } = await gateway(t)
  const { data, response } = await client.responses.create({ model, input: long, truncation: 'auto' }).withResponse()
  const sent = (provider.requests[0]!.body['messages'] as unknown[]).length
  const { cut } = (data as unknown as { foreword: { cut: Record<string, number> } }).foreword
  assert.deepEqual([cut['messages'], cut['messages_left_out']], [61, 61 - sent])
  assert.match(response.headers.get('x-foreword-cut') ?? '', new RegExp(`^messages=${61 - sent}/61, `))
  await assert.rejects(client.responses.create({ model, input: long, truncation: 'disabled' }), BadRequestError)
})

test('errors have the classes of the client, and what would be refused again says so', async (t) => {
  const { client } = await gateway(t, {
    answer: () => ({ status: 429, body: { error: { message: 'no credit', code: 'insufficient_quota' } } }),
  })
  await assert.rejects(client.responses.create({ model: 'nowhere/none', input: 'Hello' }), NotFoundError)
  await assert.rejects(
    client.responses.create({ model, input: 'Hello', max_output_tokens: 8192 }),
    (error: unknown) =>
      error instanceof BadRequestError &&
      error.param === 'max_output_tokens' &&
      error.message.includes('max_output_tokens is too large'),
  )
  for (const stream of [false, true]) {
    await assert.rejects(client.responses.create({ model, input: 'Hello', stream }), (error: unknown) => {
      assert.ok(error instanceof APIError)
      assert.deepEqual([error.status, error.code], [429, 'insufficient_quota'])
      assert.equal(error.headers?.get('x-should-retry'), 'false')
      return true
    })
  }
})

test('a call that a budget does not allow is refused for good, before it leaves', async (t) => {
  const { client, provider } = await gateway(t, {
    configuration: { budgets: [{ limit: { tokens: 1 }, per: 'day' }] },
  })
  const isFinal = (error: unknown) => {
    assert.ok(error instanceof APIError)
    assert.deepEqual([error.status, error.code, error.headers?.get('x-should-retry')], [402, 'over-budget', 'false'])
    assert.match(error.message, BUDGET)
    return true
  }
  await assert.rejects(client.responses.create({ model, input: 'Hello' }), isFinal)
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  for (const stream of [false, true]) {
    await assert.rejects(client.chat.completions.create({ model, messages, stream }), isFinal)
  }
  assert.equal(provider.requests.length, 0)
})

test('in a stream, a call that a budget does not allow is a failed response, with a code after which no client asks again', async (t) => {
  const { client, provider } = await gateway(t, {
    configuration: { budgets: [{ limit: { tokens: 1 }, per: 'day' }] },
  })
  const stream = await client.responses.create({ model, input: 'Hello', stream: true })
  const last = await onlyFailure(stream)
  const { id, status, error, foreword } = last.response as typeof last.response & { readonly foreword: unknown }
  assert.deepEqual([status, error?.code, foreword], ['failed', 'invalid_prompt', { code: 'over-budget' }])
  assert.match(error?.message ?? '', BUDGET)
  assert.match(id, /^resp_call_/)
  assert.equal(provider.requests.length, 0)
})

test('a stream that fails in the middle ends with a failed response', async (t) => {
  const { client } = await gateway(t, { answer: () => ({ text: 'One two', streamError: { message: 'it broke' } }) })
  const stream = await client.responses.create({ model, input: 'Hello', stream: true })
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  const last = events.at(-1)!
  assert.ok(last.type === 'response.failed')
  assert.equal(last.response.error?.code, 'server_error')
  assert.match(last.response.error?.message ?? '', /it broke/)
  assert.equal(last.sequence_number, events.length - 1)
})

test('a client that leaves ends the call', async (t) => {
  const { client, provider } = await gateway(t, { answer: () => ({ text: 'One two three', hangAfter: 3 }) })
  const stream = await client.responses.create({ model, input: 'Hello', stream: true })
  for await (const event of stream) if (event.type === 'response.output_text.delta') break
  stream.controller.abort()
  await until(() => provider.requests[0]!.cancelled)

  const leaving = new AbortController()
  const whole = client.responses.create({ model, input: 'Hello' }, { signal: leaving.signal })
  await until(() => provider.requests.length === 2)
  leaving.abort()
  await assert.rejects(whole, APIUserAbortError)
  await until(() => provider.requests[1]!.cancelled)
})

test('a conversation goes through two gateways in this format, with its tools and its reasoning', async (t) => {
  const inner = await gateway(t, { answer: seesBlue })
  const outer = await gateway(t, {
    configuration: {
      model: 'inner/lab/scripted',
      providers: {
        inner: {
          kind: 'openai',
          api: 'responses',
          baseURL: `${inner.url}/v1`,
          headers: { authorization: `Bearer ${inner.client.apiKey}` },
          apiKeyEnv: 'KEY',
        },
      },
      models: { 'inner/lab/scripted': { window: 8192 } },
    },
  })
  const input = 'What colour is the sky?'
  const first = await outer.client.responses.create({ model, input, tools: [look] })
  assert.deepEqual(
    first.output.map(({ type }) => type),
    ['reasoning', 'message', 'function_call'],
  )
  const output = { type: 'function_call_output' as const, call_id: 'a', output: 'blue' }
  const asked = { previous_response_id: first.id, input: [output], tools: [look] }
  assert.equal((await outer.client.responses.create({ model, ...asked })).output_text, 'It is blue.')
})

/** Looks again whenever the process has nothing else to do. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

/** The end of a stream that has nothing of an answer. */
async function onlyFailure(stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>) {
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  assert.deepEqual(
    events.map(({ type }) => type),
    ['response.created', 'response.in_progress', 'response.failed'],
  )
  const last = events.at(-1)!
  assert.ok(last.type === 'response.failed')
  return last
}
