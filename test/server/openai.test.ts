import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RuntimeError, type CompletionEvent } from '../../src/capability.ts'
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
    parameters: { temperature: 0.5 },
    maxOutputTokens: 50,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'In verse.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'text', text: 'up' },
        ],
      },
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
  assert.match(
    await refused({ messages: [{ role: 'assistant', content: 'x' }] }),
    /last message must have the role user/,
  )
  const film = [{ type: 'video_url', video_url: { url: 'data:video/mp4;base64,aGk=' } }]
  assert.match(await refused({ messages: [{ role: 'user', content: film }] }), /part of type video_url/)
  assert.match(await refused({ n: 2 }), /only one choice/)
  assert.match(await refused({ messages: [] }), /messages/)
})

test('parameters that nobody reads are named', async () => {
  const { request } = served(scriptedRuntime())
  const ignored = async (body: Record<string, unknown>) =>
    (await request(path, { body: { messages: hello, ...body } })).headers.get('x-foreword-ignored')
  assert.equal(await ignored({}), null)
  assert.equal(await ignored({ temperature: 1, tool_choice: 'auto' }), null)
  assert.equal(await ignored({ seed: 1, response_format: { type: 'json_object' } }), null)
  assert.equal(await ignored({ top_k: 3, provider: {}, metadata: { a: 'b' } }), 'top_k, provider, metadata')
  const named = [{ role: 'user', name: 'anna', content: 'Hello' }]
  assert.equal(await ignored({ messages: named }), 'messages.name')
  const annotated = [{ role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }] }]
  assert.equal(await ignored({ messages: annotated }), 'messages.content.cache_control')
  const tools = [{ type: 'function', function: { name: 'look', strict: true, examples: [] } }]
  assert.equal(await ignored({ tools }), 'tools.function.examples')
  const messages = [{ role: 'system', content: 'x' }, ...hello]
  assert.equal(await ignored({ user: 'anna', temperature: 1, max_tokens: 9, messages }), 'max_tokens, messages.system')
})

test('the options of a request are passed on under the names of the runtime', async () => {
  const runtime = scriptedRuntime()
  const { request } = served(runtime)
  const schema = { type: 'object', properties: {} }
  const body = {
    messages: hello,
    temperature: 0.5,
    top_p: 0.9,
    stop: 'END',
    seed: 7,
    presence_penalty: 0.1,
    frequency_penalty: -0.1,
    reasoning_effort: 'low',
    response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
    tools: [{ type: 'function', function: { name: 'look' } }],
    tool_choice: { type: 'function', function: { name: 'look' } },
    parallel_tool_calls: false,
    n: 1,
  }
  const parameters = {
    temperature: 0.5,
    topP: 0.9,
    stop: ['END'],
    seed: 7,
    presencePenalty: 0.1,
    frequencyPenalty: -0.1,
    reasoningEffort: 'low',
    responseFormat: { type: 'json', name: 'place', schema, strict: true },
  }
  assert.equal((await request(path, { body })).status, 200)
  const own = { toolChoice: { toolName: 'look' }, parallelToolCalls: false }
  assert.deepEqual(runtime.completed[0]!.parameters, { ...parameters, ...own })

  const { tools: _tools, tool_choice: _choice, ...inSession } = body
  assert.equal((await request(path, { body: { ...inSession, user: 'anna' } })).status, 200)
  assert.deepEqual(runtime.submitted[0]!.parameters, parameters)
})

test('what this endpoint has not is refused by name, unless it asks for what happens anyway', async () => {
  const { request } = served(scriptedRuntime())
  const asked = async (body: Record<string, unknown>) => {
    const response = await request(path, { body: { messages: hello, ...body } })
    return response.status === 200 ? undefined : ((await response.json()) as { error: Record<string, unknown> }).error
  }
  for (const [name, value] of Object.entries({
    logprobs: true,
    top_logprobs: 2,
    logit_bias: { 5: 1 },
    modalities: ['audio'],
    functions: [{ name: 'look' }],
    web_search_options: {},
    verbosity: 'low',
  })) {
    const error = await asked({ [name]: value })
    assert.deepEqual([error?.['param'], error?.['code']], [name, 'unsupported_parameter'])
  }
  const usual = { logprobs: false, logit_bias: {}, modalities: ['text'], verbosity: 'medium', n: 1, stop: null }
  assert.equal(await asked({ ...usual, response_format: { type: 'text' } }), undefined)
  assert.equal((await asked({ n: 2 }))?.['param'], 'n')
  assert.equal((await asked({ tool_choice: 'required' }))?.['param'], 'tool_choice')
  assert.match(String((await asked({ tool_choice: 'any' }))?.['message']), /auto, none, required/)
})

test('headers choose whether to cut and what to add, and say what was left out', async () => {
  const complete = async function* (): AsyncGenerator<CompletionEvent> {
    const cut = { messages: 61, messagesLeftOut: 43, resultsShortened: 1, tokensLeftOut: 3800 }
    yield { type: 'call-start', call: 'refused', model: 'm' }
    yield { type: 'call-start', call: 'made', model: 'm', cut }
    yield { type: 'text-delta', text: 'Hi' }
    yield { type: 'finish', reason: 'stop', usage: { ...silent } }
  }
  const runtime = scriptedRuntime({ complete })
  const { request } = served(runtime)
  const cut = { messages: 61, messages_left_out: 43, results_shortened: 1, tokens_left_out: 3800 }
  for (const stream of [false, true]) {
    const headers = { 'x-foreword-cut': 'auto', 'x-foreword-prompt': 'add' }
    const response = await request(path, { headers, body: { messages: hello, stream } })
    assert.equal(response.headers.get('x-foreword-cut'), 'messages=43/61, results=1, tokens=3800')
    assert.equal(response.headers.get('x-foreword-call'), 'made')
    const answer = stream ? (await eventsOf(response)).at(-2)!.data : ((await response.json()) as Completion)
    assert.deepEqual(answer.foreword, { calls: ['refused', 'made'], cut })
  }
  const given = runtime.completed.map(({ cut: chosen, prompt }) => [chosen, prompt])
  assert.deepEqual(given, [
    ['auto', true],
    ['auto', true],
  ])
  const unknown = await request(path, { headers: { 'x-foreword-cut': 'yes' }, body: { messages: hello } })
  assert.match(((await unknown.json()) as OpenaiError).error.message, /x-foreword-cut must be none or auto/)
})

const silent = {
  promptTokens: undefined,
  cachedTokens: undefined,
  cacheWrittenTokens: undefined,
  outputTokens: undefined,
  reasoningTokens: undefined,
}

test('a prompt that is too large gives the error text that OpenAI clients look for', async () => {
  const error = async (facts: Record<string, unknown>) => {
    const complete = async function* (): AsyncGenerator<CompletionEvent> {
      yield { type: 'call-start', call: 'c', model: 'm' }
      throw new RuntimeError('context-overflow', 'Too large.', facts)
    }
    const response = await served(scriptedRuntime({ complete })).request(path, { body: { messages: hello } })
    assert.equal(response.status, 400)
    return ((await response.json()) as { error: Record<string, unknown> }).error
  }
  assert.deepEqual(await error({ call: 'c', limit: 8192, sent: 9000, reserve: 1000 }), {
    message:
      "This model's maximum context length is 8192 tokens. However, you requested 10000 tokens (9000 in the messages, " +
      '1000 in the completion). Please reduce the length of the messages or completion.',
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
    call: 'c',
    limit: 8192,
    sent: 9000,
    reserve: 1000,
  })
  assert.match(
    String((await error({ limit: 10, sent: 20 }))['message']),
    /However, your messages resulted in 20 tokens/,
  )
  const { message } = await error({ sent: 20, said: 'Request Entity Too Large' })
  assert.match(
    String(message),
    /^This model's maximum context length is exceeded; .* resulted in 20 tokens\..* The provider said: Request Entity Too Large$/,
  )
  const same =
    "This model's maximum context length is 10 tokens. However, your messages resulted in 20 tokens. Please reduce the length of the messages."
  assert.equal((await error({ limit: 10, sent: 20, said: same }))['message'], same)
  assert.equal((await error({}))['message'], 'Too large.')
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
    assert.equal(response.status, 400)
    assert.deepEqual(await response.json(), {
      error: {
        message: 'It does not fit.',
        type: 'invalid_request_error',
        param: 'messages',
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

test('a failed turn is never reported as a success, whatever its code', async () => {
  const statuses = { 'no-answer': 502, internal: 500, 'code-of-another-version': 500 }
  for (const [code, status] of Object.entries(statuses)) {
    const { request } = served(scriptedRuntime({ script: failing(code, 'It failed.') }))
    const answer = await request(path, { body: { user: 'anna', messages: hello } })
    assert.equal(answer.status, status)
    assert.equal(((await answer.json()) as OpenaiError).error.code, code)
  }
})

test('a call that fails in mid-stream reports it in the stream', async () => {
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

test('every endpoint reports a turn that the gateway cannot continue', async () => {
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

test('only models that can be used are listed, with their windows', async () => {
  const { json, request } = served(scriptedRuntime())
  const { data } = await json<{ data: { id: string }[] }>('/v1/models')
  assert.deepEqual(
    data.map(({ id }) => id),
    ['foreword', 'rehearsal'],
  )
  const known = {
    object: 'model',
    created: 0,
    context_length: 128_000,
    context_window: 128_000,
    max_model_len: 128_000,
    max_completion_tokens: 8_192,
    top_provider: { context_length: 128_000, max_completion_tokens: 8_192 },
    architecture: { input_modalities: ['text', 'image'] },
    foreword: { model: 'rehearsal', reserve: 8_192, source: 'catalog', tools: true },
  }
  assert.deepEqual(data[0], { id: 'foreword', owned_by: 'foreword', ...known })
  assert.deepEqual(await json('/v1/models/rehearsal'), { id: 'rehearsal', owned_by: 'rehearsal', ...known })
  assert.deepEqual(await json('/v1/models/foreword'), data[0])
  for (const id of ['ollama/none:7b', 'ollama%2Fnone%3A7b']) {
    const response = await request(`/v1/models/${id}`)
    assert.equal(response.status, 404)
    assert.equal(((await response.json()) as OpenaiError).error.code, 'model_not_found')
  }
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

test("errors under /v1 have OpenAI's format", async () => {
  const { request } = served(scriptedRuntime())
  const denied = await request('/v1/models', { headers: { authorization: 'Bearer no' } })
  assert.equal(denied.status, 401)
  const { error } = (await denied.json()) as OpenaiError
  assert.deepEqual([error.type, error.code], ['authentication_error', 'invalid_api_key'])
})
