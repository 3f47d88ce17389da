import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openaiCompatibleModel } from '../../src/capabilities/openai-compatible/openai-compatible-model.ts'
import { fixedClock } from '../../src/testing.ts'
import { changedBody, changeFor } from '../../src/model/body-changes.ts'

const bytes = (body: unknown) => new TextEncoder().encode(JSON.stringify(body))
const facts = {
  window: 1000,
  maxOutput: 100,
  tools: false,
  vision: false,
  reasoning: false,
  toolChoiceNone: false,
  source: 'catalog',
} as const
const said = [
  { choices: [{ delta: { content: 'Yes.' }, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 5, completion_tokens: 1 } },
]

/** A model behind a server that refuses bodies for a reason. */
function refusing(refusal: (body: Record<string, unknown>) => string | undefined) {
  const bodies: Record<string, unknown>[] = []
  const model = openaiCompatibleModel({
    provider: 'lab',
    model: 'm',
    facts,
    configured: {},
    baseURL: 'http://lab.test/v1',
    clock: fixedClock(),
    options: {},
    fetch: async (_, init) => {
      const body = JSON.parse(new TextDecoder().decode(init!.body as Uint8Array)) as Record<string, unknown>
      bodies.push(body)
      const message = refusal(body)
      if (message !== undefined) return Response.json({ error: { message } }, { status: 400 })
      return new Response(said.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    },
  })
  const request = { messages: [{ role: 'user' as const, content: 'hi' }], tools: [] }
  const options = { signal: new AbortController().signal, maxOutputTokens: 8192 }
  return { bodies, model, request, options, call: () => Array.fromAsync(model.call(request, options)) }
}

test('a field that was added and is refused is left out at the second try, and remembered', async () => {
  const server = refusing((body) =>
    'stream_options' in body ? 'Unrecognized request argument supplied: stream_options' : undefined,
  )
  await server.call()
  await server.call()
  assert.deepEqual(
    server.bodies.map((body) => 'stream_options' in body),
    [true, false, false],
  )
})

test('the longest answer is asked for under the name and with the size that the server accepts', async () => {
  const server = refusing(({ max_tokens: former, max_completion_tokens: newer }) => {
    if (former !== undefined)
      return "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    return Number(newer) > 4096
      ? 'max_completion_tokens is too large: 8192. This model supports at most 4096 completion tokens.'
      : undefined
  })
  await server.call()
  assert.equal(server.bodies.length, 3)
  assert.deepEqual(
    [server.bodies.at(-1)!['max_tokens'], server.bodies.at(-1)!['max_completion_tokens']],
    [undefined, 4096],
  )
})

test('a body that was changed can be made again, byte for byte', async () => {
  const { model, request, options, call } = refusing((body) =>
    'stream_options' in body ? 'Unknown field stream_options' : undefined,
  )
  const wire = (await call()).findLast((event) => event.type === 'wire')!
  assert.deepEqual(wire.changes, { stream_options: null })
  const { sha256 } = await model.requestBody!(request, { ...options, changes: wire.changes })
  assert.equal(sha256, wire.sha256)
})

test('what the caller asked for, and what is refused for another reason, is not changed', () => {
  const body = bytes({ messages: [], reasoning_effort: 'high', max_tokens: 8192 })
  const change = (refusal: string, parameters = {}) => changeFor(refusal, body, { known: {}, parameters })
  assert.equal(change('reasoning_effort is not supported', { reasoningEffort: 'high' }), undefined)
  assert.deepEqual(change('reasoning_effort is not supported'), { reasoning_effort: null })
  assert.equal(change('messages must not be empty'), undefined)
  assert.equal(change('seed is not supported'), undefined)
  assert.deepEqual(change('max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens'), {
    max_tokens: 4096,
  })
  assert.deepEqual(change('max_tokens (8192) cannot exceed 4096. Please reduce the length of max output tokens'), {
    max_tokens: 4096,
  })
  assert.deepEqual(change('Invalid max_tokens value, the valid range of max_tokens is [1, 4096]'), { max_tokens: 4096 })
})

test('a field of tools that a library added and a server refuses is left out of each of them, in both places', () => {
  const tool = { name: 'look', strict: false, eager_input_streaming: true }
  for (const tools of [[tool], [{ type: 'function', function: tool }]]) {
    const body = bytes({ messages: [], tools })
    const first = changeFor('tools.0.custom.eager_input_streaming: Extra inputs are not permitted', body, { known: {} })
    assert.deepEqual(first, { 'tools.eager_input_streaming': null })
    const second = changeFor('Unknown parameter: tools[0].function.strict', body, { known: first })
    const left = new TextDecoder().decode(changedBody(body, second))
    assert.deepEqual(JSON.parse(left.replaceAll('{"type":"function","function":{"name":"look"}}', '{"name":"look"}')), {
      messages: [],
      tools: [{ name: 'look' }],
    })
  }
})

test('a server that refuses whatever is sent is asked a few times, and its last sentence is the error', async () => {
  const server = refusing(
    (body) =>
      `Unknown field ${Object.keys(body).find((name) => name === 'stream_options' || name === 'max_tokens') ?? 'messages'}`,
  )
  await assert.rejects(server.call(), /Unknown field messages/)
  assert.equal(server.bodies.length, 3)
})
