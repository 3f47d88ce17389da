import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CompletionEvent, RuntimeError } from '../../src/runtime.ts'
import { failing, scriptedRuntime, type Script, withTool } from './scripted-runtime.ts'
import { eventsOf, served } from './served.ts'

const hello = [{ role: 'user', content: 'hello' }]
const path = '/v1/chat/completions'

interface Completion {
  readonly choices: readonly { readonly message: Record<string, unknown>; readonly finish_reason: string }[]
  readonly usage?: unknown
  readonly foreword: { readonly session?: string; readonly turn?: string; readonly calls: readonly string[] }
  readonly model: string
}

interface OpenaiError {
  readonly error: { readonly code: string; readonly type: string; readonly message: string }
}

test('without a session the messages of the body are the history', async () => {
  const runtime = scriptedRuntime()
  const { request } = served(runtime)
  const response = await request(path, {
    body: {
      model: 'foreword',
      temperature: 0.5,
      max_completion_tokens: 50,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: [{ type: 'text', text: 'In verse.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'text', text: 'up' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } },
            { id: 'b', type: 'function', function: { name: 'touch', arguments: '{not json' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: 'blue' },
        { role: 'tool', tool_call_id: 'b', content: 'far' },
        { role: 'assistant', content: 'Blue.' },
        { role: 'user', content: 'And now?' },
      ],
    },
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('x-foreword-call'), 'call-own')
  const { signal: _signal, ...given } = runtime.completed[0]!
  assert.deepEqual(given, {
    system: ['Be brief.', 'In verse.'],
    temperature: 0.5,
    maxOutputTokens: 50,
    messages: [
      { role: 'user', content: 'Look\nup' },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: 'sky' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'touch', input: '{not json' },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'text', value: 'blue' } },
          { type: 'tool-result', toolCallId: 'b', toolName: 'touch', output: { type: 'text', value: 'far' } },
        ],
      },
      { role: 'assistant', content: 'Blue.' },
      { role: 'user', content: 'And now?' },
    ],
  })
  const answer = (await response.json()) as Completion
  assert.equal(answer.choices[0]!.message['content'], 'Hello')
  assert.equal(answer.choices[0]!.finish_reason, 'stop')
  assert.equal(answer.model, 'rehearsal')
  assert.deepEqual(answer.usage, {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 40 },
  })
  assert.deepEqual(answer.foreword, { calls: ['call-own'] })
})

test('a silent provider is not given numbers', async () => {
  const complete = async function* (): AsyncGenerator<CompletionEvent> {
    const unknown = { promptTokens: undefined, cachedTokens: undefined, cacheWrittenTokens: undefined }
    yield { type: 'call-start', call: 'c', model: 'm' }
    yield {
      type: 'finish',
      reason: 'length',
      usage: { ...unknown, outputTokens: undefined, reasoningTokens: undefined },
    }
  }
  const { json } = served(scriptedRuntime({ complete }))
  const answer = await json<Completion>(path, { body: { messages: hello } })
  assert.ok(!('usage' in answer))
  assert.equal(answer.choices[0]!.finish_reason, 'length')
})

test('the header picks a session, and the last user message is its input', async () => {
  const runtime = scriptedRuntime()
  const { request, json } = served(runtime)
  const fresh = await request(path, {
    headers: { 'x-foreword-session': 'new', 'idempotency-key': 'once' },
    body: {
      model: 'default',
      messages: [{ role: 'user', content: 'old' }, { role: 'assistant', content: 'x' }, ...hello],
    },
  })
  const { foreword, choices } = (await fresh.json()) as Completion
  assert.equal(choices[0]!.message['content'], 'You said: hello')
  assert.deepEqual(foreword.calls, [`call-${foreword.turn}`])
  assert.equal(fresh.headers.get('x-foreword-session'), foreword.session)
  assert.equal(fresh.headers.get('x-foreword-call'), foreword.calls[0])
  assert.deepEqual(runtime.submitted, [{ text: 'hello', idempotencyKey: 'once' }])

  const again = await json<Completion>(path, {
    headers: { 'x-foreword-session': foreword.session! },
    body: { model: 'ollama/llama3.2', messages: hello },
  })
  assert.equal(again.foreword.session, foreword.session)
  assert.deepEqual(runtime.submitted[1], { session: foreword.session, text: 'hello', model: 'ollama/llama3.2' })

  const none = await request(path, { headers: { 'x-foreword-session': 'none' }, body: { messages: hello } })
  assert.equal(none.status, 404)
  assert.equal(((await none.json()) as OpenaiError).error.type, 'invalid_request_error')
})

test('the same user comes back to the same session', async () => {
  const { json } = served(scriptedRuntime())
  const session = async (user: string) =>
    (await json<Completion>(path, { body: { user, messages: hello } })).foreword.session
  const anna = await session('anna')
  assert.equal(await session('anna'), anna)
  assert.notEqual(await session('ben'), anna)
})

test('what cannot be done in a session is said in a sentence', async () => {
  const { request } = served(scriptedRuntime())
  const refused = async (body: Record<string, unknown>) => {
    const response = await request(path, { body: { user: 'anna', messages: hello, ...body } })
    assert.equal(response.status, 400)
    return ((await response.json()) as OpenaiError).error.message
  }
  const tools = [{ type: 'function', function: { name: 'look' } }]
  assert.match(await refused({ tools }), /runs its own tools/)
  assert.match(await refused({ messages: [{ role: 'assistant', content: 'x' }] }), /has to be one of the user/)
  const image = [{ type: 'image_url', image_url: { url: 'data:,' } }]
  assert.match(await refused({ messages: [{ role: 'user', content: image }] }), /part of type image_url/)
  assert.match(await refused({ n: 2 }), /only one choice/)
  assert.match(await refused({ messages: [] }), /messages/)
})

test('parameters that nobody reads are named', async () => {
  const { request } = served(scriptedRuntime())
  const ignored = async (body: Record<string, unknown>) =>
    (await request(path, { body: { messages: hello, ...body } })).headers.get('x-foreword-ignored')
  assert.equal(await ignored({}), null)
  assert.equal(await ignored({ temperature: 1, tool_choice: 'auto' }), null)
  assert.equal(await ignored({ seed: 1, response_format: { type: 'json_object' } }), 'seed, response_format')
  assert.equal(await ignored({ tool_choice: 'required' }), 'tool_choice')
  const messages = [{ role: 'system', content: 'x' }, ...hello]
  assert.equal(await ignored({ user: 'anna', temperature: 1, messages }), 'temperature, messages.system')
})

test("the caller's own tools are handed back to it as calls", async () => {
  const complete = async function* (): AsyncGenerator<CompletionEvent> {
    yield { type: 'call-start', call: 'c', model: 'm' }
    yield { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: 'sky' } }
    yield { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: 'not json' }
    const usage = { cachedTokens: undefined, cacheWrittenTokens: undefined, reasoningTokens: 3 }
    yield { type: 'finish', reason: 'tool-calls', usage: { ...usage, promptTokens: 10, outputTokens: 5 } }
  }
  const runtime = scriptedRuntime({ complete })
  const { request, json } = served(runtime)
  const inputSchema = { type: 'object', properties: { at: { type: 'string' } } }
  const body = {
    messages: hello,
    tool_choice: 'none',
    tools: [
      { type: 'function', function: { name: 'look', description: 'Looks.', parameters: inputSchema } },
      { type: 'function', function: { name: 'wait' } },
    ],
  }
  const { choices } = await json<Completion>(path, { body })
  assert.deepEqual(runtime.completed[0]!.tools, [
    { name: 'look', description: 'Looks.', inputSchema },
    { name: 'wait', inputSchema: { type: 'object', properties: {} } },
  ])
  assert.equal(runtime.completed[0]!.toolChoice, 'none')
  assert.equal(choices[0]!.finish_reason, 'tool_calls')
  assert.equal(choices[0]!.message['content'], null)
  assert.deepEqual(choices[0]!.message['tool_calls'], [
    { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } },
    { id: 'b', type: 'function', function: { name: 'look', arguments: 'not json' } },
  ])

  const events = await eventsOf(await request(path, { body: { ...body, stream: true } }))
  const indices = events.flatMap(({ data }) => (data.choices?.[0]?.delta.tool_calls ?? []).map(({ index }) => index))
  assert.deepEqual(indices, [0, 1])
  assert.equal(events.at(-2)?.data.choices?.[0]?.finish_reason, 'tool_calls')
})

test('a stream begins with the role, carries the pieces, and ends with the reason, the usage and [DONE]', async () => {
  const { request } = served(scriptedRuntime())
  const body = { messages: hello, stream: true, stream_options: { include_usage: true } }
  const response = await request(path, { body })
  assert.equal(response.headers.get('x-foreword-call'), 'call-own')
  const events = await eventsOf(response)
  assert.deepEqual(
    events.map(({ data }) => data.choices?.[0]?.delta),
    [{ role: 'assistant', content: 'Hel' }, { content: 'lo' }, {}, undefined, undefined],
  )
  assert.equal(events[2]?.data.choices?.[0]?.finish_reason, 'stop')
  assert.deepEqual(events[2]?.data.foreword, { calls: ['call-own'] })
  assert.deepEqual(events[3]?.data.choices, [])
  assert.equal(events[3]?.data.usage?.total_tokens, 120)
  assert.equal(events[4]?.done, true)
  assert.ok(events.slice(0, 4).every(({ data }) => data.id === 'chatcmpl-call-own' && data.model === 'rehearsal'))
})

test('a turn with tools streams as one answer: what its calls say, apart, whole, with all their costs', async () => {
  const { request, json } = served(scriptedRuntime({ script: withTool }))
  const body = { user: 'anna', messages: hello, stream: true, stream_options: { include_usage: true } }
  const events = await eventsOf(await request(path, { body }))
  const deltas = events.flatMap(({ data }) => data.choices?.[0]?.delta ?? [])
  assert.equal(deltas.map(({ content }) => content ?? '').join(''), 'Let me look.\n\nIt is blue.')
  assert.equal(deltas.map(({ reasoning_content: text }) => text ?? '').join(''), 'I should look.')
  assert.equal(events.at(-2)?.data.usage?.prompt_tokens, 200)
  assert.equal(events.at(-3)?.data.foreword?.calls.length, 2)
  const whole = await json<Completion>(path, { body: { user: 'anna', messages: hello } })
  assert.equal(whole.choices[0]!.message['content'], 'Let me look.\n\nIt is blue.')
  assert.equal(whole.choices[0]!.message['reasoning_content'], 'I should look.')
})

test('a call that fails before it says a word fails as a whole, streamed or not', async () => {
  const complete = async function* (): AsyncGenerator<CompletionEvent> {
    yield { type: 'call-start', call: 'c', model: 'm' }
    throw new RuntimeError('context-overflow', 'It does not fit.', { available: 10 })
  }
  const outside = served(scriptedRuntime({ complete }))
  const inside = served(scriptedRuntime({ script: failing('rate-limit', 'Try later.') }))
  for (const stream of [true, false]) {
    const response = await outside.request(path, { body: { messages: hello, stream } })
    assert.equal(response.status, 422)
    assert.deepEqual(await response.json(), {
      error: {
        message: 'It does not fit.',
        type: 'invalid_request_error',
        param: null,
        code: 'context_length_exceeded',
        available: 10,
      },
    })
    const limited = await inside.request(path, { body: { user: 'anna', messages: hello, stream } })
    assert.equal(limited.status, 429)
    assert.equal(limited.headers.get('retry-after'), '10')
    assert.equal(((await limited.json()) as OpenaiError).error.code, 'rate_limit_exceeded')
  }
})

test('a turn that failed is never told as a success, whatever its code', async () => {
  const statuses = { 'no-answer': 502, internal: 500, 'code-of-another-version': 500 }
  for (const [code, status] of Object.entries(statuses)) {
    const { request } = served(scriptedRuntime({ script: failing(code, 'It failed.') }))
    const answer = await request(path, { body: { user: 'anna', messages: hello } })
    assert.equal(answer.status, status)
    assert.equal(((await answer.json()) as OpenaiError).error.code, code)
  }
})

test('a call that fails in mid-stream says so within the stream', async () => {
  const script: Script = ({ turn, append, text }) => {
    append({ type: 'turn-start', turn }, { type: 'assembly', turn, call: 'c' })
    text('Hel')
    append({ type: 'turn-end', turn, outcome: { type: 'failed', code: 'network', message: 'It broke off.' } })
  }
  const { request } = served(scriptedRuntime({ script }))
  const events = await eventsOf(await request(path, { body: { user: 'anna', messages: hello, stream: true } }))
  assert.equal(events.length, 2)
  assert.equal(events[1]?.data.error?.message, 'It broke off.')
})

test('a turn that the gateway cannot go on with is said so at every door', async () => {
  const script: Script = ({ turn, append, interrupt }) => {
    append({ type: 'turn-start', turn })
    interrupt('storage-full', 'The disk is full.')
  }
  const { request, json } = served(scriptedRuntime({ script }))
  const openai = await request(path, { body: { user: 'anna', messages: hello } })
  assert.equal(openai.status, 507)
  const chat = await request('/api/chat', {
    body: { id: 'c', messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }] },
  })
  assert.match(await chat.text(), /"errorText":"The disk is full\."/)
  const { session, turn } = await json('/api/messages', { body: { text: 'x' } })
  const events = await eventsOf(await request(`/api/sessions/${session}/events?turn=${turn}`))
  assert.equal(events.at(-1)?.event, 'interrupted')
  const view = await json<{ outcome?: unknown }>(`/api/sessions/${session}/turns/${turn}?wait=5000`)
  assert.equal(view.outcome, undefined)
})

test('only models that can be used are listed', async () => {
  const { data } = await served(scriptedRuntime()).json<{ data: { id: string }[] }>('/v1/models')
  assert.deepEqual(
    data.map(({ id }) => id),
    ['foreword', 'rehearsal'],
  )
})

test('a caller that leaves ends its own call', async () => {
  const ended = Promise.withResolvers<string>()
  const complete = async function* ({ signal }: { signal?: AbortSignal }): AsyncGenerator<CompletionEvent> {
    yield { type: 'call-start', call: 'c', model: 'm' }
    yield { type: 'text-delta', text: 'Hel' }
    signal?.addEventListener('abort', () => ended.resolve('aborted'))
    await ended.promise
  }
  const { request } = served(scriptedRuntime({ complete }))
  await leaveAfterTheFirstWord(await request(path, { body: { messages: hello, stream: true } }))
  assert.equal(await ended.promise, 'aborted')
})

test('a caller that leaves does not end the turn of a session', async () => {
  const left = Promise.withResolvers<void>()
  const script: Script = async ({ turn, append, text, signal }) => {
    append({ type: 'turn-start', turn }, { type: 'assembly', turn, call: 'c', model: 'm' })
    text('Hel')
    await left.promise
    append({ type: 'turn-end', turn, outcome: { type: signal.aborted ? 'cancelled' : 'completed' } })
  }
  const { request, json } = served(scriptedRuntime({ script }))
  const answer = await request(path, { body: { messages: hello, stream: true, user: 'ada' } })
  await leaveAfterTheFirstWord(answer)
  left.resolve()
  const { headers } = answer
  const turn = `/api/sessions/${headers.get('x-foreword-session')}/turns/${headers.get('x-foreword-turn')}`
  const { outcome } = await json<{ outcome: unknown }>(`${turn}?wait=5000`)
  assert.deepEqual(outcome, { type: 'completed' })
})

async function leaveAfterTheFirstWord({ body }: Response): Promise<void> {
  const reader = body!.getReader()
  await reader.read()
  await reader.cancel()
}

test("errors of the doors have OpenAI's shape under /v1", async () => {
  const { request } = served(scriptedRuntime())
  const denied = await request('/v1/models', { headers: { authorization: 'Bearer no' } })
  assert.equal(denied.status, 401)
  const { error } = (await denied.json()) as OpenaiError
  assert.deepEqual([error.type, error.code], ['authentication_error', 'invalid_api_key'])
})
