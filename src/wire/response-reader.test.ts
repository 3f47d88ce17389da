import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { forAll } from '../../test/arbitrary/for-all.ts'
import type { WireAnswer } from './answer-draft.ts'
import { type WireFormat, wireFormats } from './formats.ts'
import { responseReader } from './response-reader.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** Reads an answer, cut into parts of `size` bytes. */
function read(format: WireFormat, text: string, { size = 7 } = {}): WireAnswer {
  const reader = responseReader(format)
  const all = bytes(text)
  for (let at = 0; at < all.length; at += size) reader.write(all.subarray(at, at + size))
  return reader.end()
}

const events = (...list: readonly { readonly type: string; readonly [field: string]: unknown }[]) =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

const chunks = (...list: readonly unknown[]) =>
  [...list.map((each) => `data: ${JSON.stringify(each)}\n\n`), 'data: [DONE]\n\n'].join('')

const message = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    model: 'a-model',
    content: [],
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 300,
      cache_read_input_tokens: 5_000,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 1,
    },
  },
}

const said = [
  message,
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
  { type: 'ping' },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Grüß ' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Gott 🌍' } },
  { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c1', name: 'Read', input: {} } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"file_' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: 'path":"a.ts"}' } },
]

const usage = {
  promptTokens: 5_310,
  cachedTokens: 5_000,
  cacheWrittenTokens: 300,
  cacheWrittenLongerTokens: 200,
  outputTokens: 42,
  reasoningTokens: undefined,
}

test('a stream of Messages is read: text, reasoning, calls, what was cached and for how long', () => {
  const end = { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 42 } }
  const answer = read('messages', events(...said, end, { type: 'message_stop' }))
  assert.deepEqual(answer, {
    text: 'Grüß Gott 🌍',
    reasoning: 'Hm.',
    calls: [{ id: 'c1', name: 'Read', input: { file_path: 'a.ts' } }],
    usage,
    finish: 'tool_use',
    model: 'a-model',
    id: 'msg_1',
  })
})

test('numbers that come again take the place of earlier ones, and those that do not stay', () => {
  const end = {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { input_tokens: 12, output_tokens: 9 },
  }
  assert.deepEqual(read('messages', events(message, end)).usage, { ...usage, promptTokens: 5_312, outputTokens: 9 })
})

test('a stream that breaks off has what came, no end, and JSON of a call that was not finished as a text', () => {
  const { finish, text, calls } = read('messages', events(...said.slice(0, -1)).slice(0, -1))
  assert.deepEqual(
    { finish, text, calls },
    { finish: undefined, text: 'Grüß Gott 🌍', calls: [{ id: 'c1', name: 'Read', input: '{"file_' }] },
  )
})

test('an error within a stream and one in its place are read in the words of the provider', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const expected = { code: 'overloaded_error', message: 'Overloaded' }
  assert.deepEqual(read('messages', events(message, error)).error, expected)
  assert.deepEqual(read('messages', JSON.stringify(error)).error, expected)
  assert.deepEqual(read('messages', JSON.stringify(error)).error, expected)
  const openai = { error: { code: 'rate_limit_exceeded', message: 'Slow down', type: 'requests' } }
  assert.deepEqual(read('responses', JSON.stringify(openai)).error, {
    code: 'rate_limit_exceeded',
    message: 'Slow down',
  })
  assert.deepEqual(read('chat-completions', chunks(openai)).error, {
    code: 'rate_limit_exceeded',
    message: 'Slow down',
  })
  assert.deepEqual(read('responses', events({ ...openai.error, type: 'error' })).error, {
    code: 'rate_limit_exceeded',
    message: 'Slow down',
  })
})

const response = {
  object: 'response',
  id: 'resp_1',
  model: 'b-model',
  status: 'completed',
  error: null,
  usage: {
    input_tokens: 900,
    input_tokens_details: { cached_tokens: 512 },
    output_tokens: 60,
    output_tokens_details: { reasoning_tokens: 20 },
  },
  output: [
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
    { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'exec_command', arguments: '{"cmd":"ls"}' },
    { type: 'custom_tool_call', id: 'ct_1', call_id: 'c2', name: 'apply_patch', input: '*** Begin Patch' },
  ],
}

const expectedResponse = {
  text: 'Done.',
  reasoning: 'Hm.',
  calls: [
    { id: 'c1', name: 'exec_command', input: { cmd: 'ls' } },
    { id: 'c2', name: 'apply_patch', input: '*** Begin Patch' },
  ],
  usage: { promptTokens: 900, cachedTokens: 512, cacheWrittenTokens: undefined, outputTokens: 60, reasoningTokens: 20 },
  finish: 'completed',
  model: 'b-model',
  id: 'resp_1',
}

test('a stream of Responses is read once, though its items and its end repeat what came in deltas', () => {
  const item = (index: number, more: object) => ({ output_index: index, ...more })
  const stream = events(
    { type: 'response.created', response: { id: 'resp_1', model: 'b-model', output: [] } },
    { type: 'response.reasoning_summary_text.delta', ...item(0, { delta: 'Hm.' }) },
    { type: 'response.output_item.done', ...item(0, { item: response.output[0] }) },
    { type: 'response.output_text.delta', ...item(1, { delta: 'Do' }) },
    { type: 'response.output_text.delta', ...item(1, { delta: 'ne.' }) },
    { type: 'response.output_text.done', ...item(1, { text: 'Done.' }) },
    { type: 'response.output_item.added', ...item(2, { item: { ...response.output[2], arguments: '' } }) },
    { type: 'response.function_call_arguments.delta', ...item(2, { delta: '{"cmd":' }) },
    { type: 'response.function_call_arguments.delta', ...item(2, { delta: '"ls"}' }) },
    { type: 'response.output_item.done', ...item(2, { item: response.output[2] }) },
    { type: 'response.output_item.done', ...item(3, { item: response.output[3] }) },
    { type: 'response.completed', response },
  )
  assert.deepEqual(read('responses', stream), expectedResponse)
})

test('a response in one piece is read like its stream', () => {
  assert.deepEqual(read('responses', JSON.stringify(response)), expectedResponse)
})

test('an answer that reached its limit says so', () => {
  const incomplete = { ...response, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  assert.equal(
    read('responses', events({ type: 'response.incomplete', response: incomplete })).finish,
    'max_output_tokens',
  )
})

test('a stream of Chat Completions is read, with calls whose parts come one by one', () => {
  const delta = (more: object, finish: string | null = null) => ({
    id: 'chat_1',
    model: 'c-model',
    choices: [{ index: 0, delta: more, finish_reason: finish }],
  })
  const call = (index: number, more: object) => delta({ tool_calls: [{ index, ...more }] })
  const answer = read(
    'chat-completions',
    chunks(
      delta({ role: 'assistant', content: '', reasoning_content: 'Hm.' }),
      delta({ content: 'Done' }),
      delta({ content: '.' }),
      call(0, { id: 'c1', function: { name: 'read', arguments: '' } }),
      call(0, { function: { arguments: '{"path":' } }),
      call(1, { id: 'c2', function: { name: 'list', arguments: '{}' } }),
      call(0, { function: { arguments: '"a.ts"}' } }),
      delta({}, 'tool_calls'),
      {
        id: 'chat_1',
        choices: [],
        usage: {
          prompt_tokens: 70,
          prompt_tokens_details: { cached_tokens: 64 },
          completion_tokens: 9,
          completion_tokens_details: { reasoning_tokens: 2 },
        },
      },
    ),
  )
  assert.deepEqual(answer, {
    text: 'Done.',
    reasoning: 'Hm.',
    calls: [
      { id: 'c1', name: 'read', input: { path: 'a.ts' } },
      { id: 'c2', name: 'list', input: {} },
    ],
    usage: { promptTokens: 70, cachedTokens: 64, cacheWrittenTokens: undefined, outputTokens: 9, reasoningTokens: 2 },
    finish: 'tool_calls',
    model: 'c-model',
    id: 'chat_1',
  })
})

test('an odd answer is read for the account as it is for our own calls, and with tools that a provider runs', () => {
  const call = { id: 'c1', function: { name: 'go', arguments: { n: 1 } } }
  const choice = (more: object, index = 0) => ({ choices: [{ index, delta: more }] })
  const chat = chunks(
    choice({ content: [{ type: 'thinking', thinking: 'Hm.' }], tool_calls: call }),
    choice({ content: 'x'.repeat(700) }, 1),
    choice({ tool_calls: [call, { index: 1, id: 'c2', type: 'custom', custom: { name: 'patch', input: '***' } }] }),
  )
  const reader = responseReader('chat-completions')
  reader.write(bytes(chat))
  assert.ok(reader.size() >= 200, 'a choice that is not kept costs as much')
  const { reasoning, text, calls } = reader.end()
  const [go, patch] = [
    { id: 'c1', name: 'go', input: { n: 1 } },
    { id: 'c2', name: 'patch', input: '***' },
  ]
  assert.deepEqual({ reasoning, text, calls }, { reasoning: 'Hm.', text: '', calls: [go, patch] })

  const blocks = [
    { type: 'text', text: 'a' },
    { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'b' } },
    { type: 'tool_use', id: 'c1', name: 'go', input: { n: 1 } },
    { type: 'tool_use', id: 'c1', name: 'go', input: { n: 1 } },
  ]
  const whole = read('messages', JSON.stringify({ content: blocks, stop_reason: 'tool_use' }))
  const search = { id: 's1', name: 'web_search', input: { query: 'b' } }
  assert.deepEqual(whole, { text: 'a', reasoning: '', calls: [search, go], finish: 'tool_use' })

  const shell = { type: 'local_shell_call', call_id: 'l1', action: { command: ['ls'] } }
  const inner = { type: 'function_call', call_id: 'f1', namespace: 'mail', name: 'send', arguments: '{}' }
  assert.deepEqual(read('responses', JSON.stringify({ ...response, output: [shell, inner] })).calls, [
    { id: 'l1', name: 'local_shell_call', input: { command: ['ls'] } },
    { id: 'f1', name: 'mail.send', input: {} },
  ])
})

test('an answer that is not ready has no end', () => {
  assert.equal(read('responses', JSON.stringify({ ...response, status: 'queued' })).finish, undefined)
  assert.equal(read('responses', '{"object":"response.input_tokens","input_tokens":3}').finish, undefined)
})

const gemini = [
  { candidates: [{ content: { role: 'model', parts: [{ text: 'Hm.', thought: true }] }, index: 0 }] },
  { candidates: [{ content: { parts: [{ text: 'Do' }] } }, { index: 1, content: { parts: [{ text: 'Other.' }] } }] },
  {
    candidates: [{ content: { parts: [{ text: 'ne.' }, { functionCall: { name: 'read', args: { path: 'a.ts' } } }] } }],
  },
  {
    candidates: [
      {
        content: { parts: [{ functionCall: { id: 'c2', name: 'list', args: {} }, thoughtSignature: 'c2ln' }] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: {
      promptTokenCount: 70,
      cachedContentTokenCount: 64,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 2,
    },
    modelVersion: 'g-model',
    responseId: 'r1',
  },
]

const expectedGemini = {
  text: 'Done.',
  reasoning: 'Hm.',
  calls: [
    { id: '', name: 'read', input: { path: 'a.ts' } },
    { id: 'c2', name: 'list', input: {} },
  ],
  usage: { promptTokens: 70, cachedTokens: 64, cacheWrittenTokens: undefined, outputTokens: 9, reasoningTokens: 2 },
  finish: 'STOP',
  model: 'g-model',
  id: 'r1',
}

test('an answer of generateContent is read, as events and as a list', () => {
  assert.deepEqual(read('generate-content', chunks(...gemini)), expectedGemini)
  assert.deepEqual(read('generate-content', JSON.stringify(gemini)), expectedGemini)
  const inSnakeCase = JSON.stringify(gemini).replaceAll(/"(?:[a-z]+[A-Z])+[a-z]+":/gi, (it) =>
    it.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
  assert.deepEqual(read('generate-content', inSnakeCase).calls, expectedGemini.calls)
  assert.equal(read('generate-content', '{"totalTokens":1234}').usage?.promptTokens, 1234)
  assert.equal(read('generate-content', '{"promptFeedback":{"blockReason":"SAFETY"}}').finish, 'SAFETY')
  const refusal = { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED' } }
  const error = { code: 'RESOURCE_EXHAUSTED', message: 'Slow down.' }
  assert.deepEqual(read('generate-content', JSON.stringify([refusal])).error, error)
})

test('lines may end in any of the three ways, also between two reads', () => {
  const stream = events(...said)
  for (const end of ['\r\n', '\r']) {
    for (const size of [1, 2, 3, 1_000]) {
      assert.deepEqual(read('messages', stream.replaceAll('\n', end), { size }), read('messages', stream))
    }
  }
})

test('a count of tokens is the size of a prompt', () => {
  assert.equal(read('messages', '{"input_tokens":1234}').usage?.promptTokens, 1234)
})

test('no bytes make the reader fail, and where they are cut does not matter', () => {
  const line = fc.oneof(
    fc.constantFrom(
      'data: {',
      'data: null',
      'data: 7',
      'event: x',
      ':',
      '\u0000',
      'data: [DONE]',
      'data',
      'id: 1\u0000',
      '{"error":',
    ),
    fc.string(),
    fc.jsonValue().map((value) => `data: ${JSON.stringify(value)}`),
    fc.constantFrom(...said).map((event) => `data: ${JSON.stringify(event)}`),
  )
  const text = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\n\n', '\r')), { maxLength: 12 })
    .map((lines) => lines.flat().join(''))
  forAll(fc.tuple(fc.constantFrom(...wireFormats), text, fc.integer({ min: 1, max: 50 })), ([format, all, size]) => {
    assert.deepEqual(read(format, all, { size }), read(format, all, { size: 100_000 }))
  })
  forAll(fc.tuple(fc.constantFrom(...wireFormats), fc.uint8Array({ maxLength: 200 })), ([format, some]) => {
    const reader = responseReader(format)
    reader.write(some)
    assert.equal(typeof reader.end().text, 'string')
  })
})

test('of an answer without an end a part is kept, and the account says so', () => {
  const reader = responseReader('messages')
  const delta = bytes(
    events({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'x'.repeat(1_000_000) },
    }),
  )
  for (let count = 0; count < 12; count += 1) reader.write(delta)
  const { text, cut } = reader.end()
  assert.deepEqual({ length: text.length, cut }, { length: 8_000_000, cut: true })
  const endless = responseReader('messages')
  for (let count = 0; count < 40; count += 1) endless.write(bytes(`data: ${'x'.repeat(1_000_000)}`))
  assert.equal(endless.end().cut, true)
})
