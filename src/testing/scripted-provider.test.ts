import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { providers as known } from '../capabilities/providers.ts'
import { createModels, type Model, ModelError, type ModelEvent, type ModelRequest, type Models } from '../model.ts'
import { scriptedProvider } from './scripted-provider.ts'
import type { ScriptedAnswer, ScriptedRequest } from './scripted-provider-answer.ts'

const KEY = 'sk-test-0123456789abcdef'
let next: ScriptedAnswer = {}
const server = await scriptedProvider({
  answer: () => next,
  models: [{ name: 'scripted', capabilities: ['tools', 'thinking'] }],
})
after(() => server.close())

const models = modelsWith({})
/** Nobody but a test of silence has them: a busy machine is silent for so long, too. */
const hurried = modelsWith({ firstMs: 50, idleMs: 50 })
const hurriedBetweenPieces = modelsWith({ idleMs: 50 })

function modelsWith(timeouts: { readonly firstMs?: number; readonly idleMs?: number }): Models {
  const ours = { baseURL: server.url, apiKeyEnv: 'KEY', timeouts } as const
  return createModels({
    known,
    environment: { KEY },
    providers: {
      ollama: { ...ours, kind: 'ollama' },
      openai: { ...ours, kind: 'openai' },
      responses: { ...ours, kind: 'openai', api: 'responses' },
      anthropic: { ...ours, kind: 'anthropic' },
      local: { ...ours, kind: 'openai-compatible' },
    },
    models: { 'local/scripted': { reasoning: true } },
  })
}

const IDS = [
  'ollama/scripted',
  'openai/gpt-5.4',
  'responses/gpt-5.4',
  'anthropic/claude-sonnet-5-5',
  'local/scripted',
] as const

const REQUEST: ModelRequest = {
  system: 'Be brief.',
  tools: [
    { name: 'search', description: 'Finds.', inputSchema: { type: 'object', properties: { q: { type: 'string' } } } },
    { name: 'now', inputSchema: { type: 'object', properties: {} } },
  ],
  messages: [{ role: 'user', content: 'What is new?' }],
}

async function call(model: Model, options: Partial<Parameters<Model['call']>[1]> = {}, request = REQUEST) {
  const events: ModelEvent[] = []
  const signal = new AbortController().signal
  for await (const event of model.call(request, { signal, ...options })) events.push(event)
  return events
}

function finishOf(events: readonly ModelEvent[]) {
  const finish = events.at(-1)
  assert.ok(finish?.type === 'finish')
  return finish
}

function failureOf(id: string, options?: Partial<Parameters<Model['call']>[1]>, of = models): Promise<ModelError> {
  return of
    .model(id)
    .then((model) => call(model, options))
    .then(
      () => assert.fail('the call went well'),
      (error: unknown) => {
        assert.ok(error instanceof ModelError, String(error))
        assert.ok(
          !`${error.message} ${JSON.stringify(error.facts)} ${error.stack}`.includes(KEY),
          'the key is in the error',
        )
        return error
      },
    )
}

for (const id of IDS) {
  test(`${id}: text streams piece by piece and is whole in the end`, async () => {
    next = { text: ['Hel', 'lo ', 'there'], usage: { promptTokens: 40, outputTokens: 3 } }
    const events = await call(await models.model(id))
    assert.deepEqual(
      events.filter(({ type }) => type === 'text-delta'),
      next.text && ['Hel', 'lo ', 'there'].map((text) => ({ type: 'text-delta', text })),
    )
    const { message, reason, usage } = finishOf(events)
    assert.equal(reason, 'stop')
    assert.equal(usage.promptTokens, 40)
    assert.equal(usage.outputTokens, 3)
    assert.deepEqual(textsOf(message), ['Hello there'])
  })

  test(`${id}: the wire event comes first and is the digest of the very body that arrived`, async () => {
    next = { text: 'ok' }
    const [wire] = await call(await models.model(id))
    const arrived = server.requests.at(-1)
    assert.deepEqual(wire, {
      type: 'wire',
      sha256: arrived?.sha256,
      bytes: arrived?.bytes.byteLength,
      url: `${server.url}${arrived?.path}`,
    })
  })

  test(`${id}: parallel calls arrive whole, and what is no JSON as the string it was`, async () => {
    const broken = id.startsWith('ollama') ? { q: 'x' } : '{"q": "x'
    next = {
      text: 'Let me see.',
      toolCalls: [
        { id: 'call_a', name: 'search', input: { q: 'news' } },
        { id: 'call_b', name: 'search', input: broken },
      ],
    }
    const events = await call(await models.model(id))
    const calls = [
      { toolCallId: 'call_a', toolName: 'search', input: { q: 'news' } },
      { toolCallId: 'call_b', toolName: 'search', input: broken },
    ].map((fields) => ({ type: 'tool-call', ...fields }))
    assert.deepEqual(
      events.filter(({ type }) => type === 'tool-call'),
      calls,
    )
    const { message, reason } = finishOf(events)
    assert.equal(reason, 'tool-calls')
    const parts = typeof message.content === 'string' ? [] : message.content
    const said = parts.flatMap((part) => (part.type === 'tool-call' ? [{ ...part, providerOptions: undefined }] : []))
    assert.deepEqual(
      said,
      calls.map((fields) => ({ ...fields, providerOptions: undefined })),
    )
  })

  test(`${id}: calls and results go back, and the next answer comes`, async () => {
    next = { toolCalls: [{ id: 'call_a', name: 'search', input: { q: 'news' } }] }
    const model = await models.model(id)
    const { message } = finishOf(await call(model))
    next = { text: 'Nothing.' }
    const output = { type: 'text', value: 'no news' } as const
    const result = { type: 'tool-result', toolCallId: 'call_a', toolName: 'search', output } as const
    const messages = [...REQUEST.messages, message, { role: 'tool' as const, content: [result] }]
    assert.deepEqual(textsOf(finishOf(await call(model, {}, { ...REQUEST, messages })).message), ['Nothing.'])
    assert.match(server.requests.at(-1)?.bytes.toString() ?? '', /no news/)
  })

  test(`${id}: a last step sends toolChoice none, or no tools where there is no such choice`, async () => {
    next = { text: 'Done.' }
    const model = await models.model(id)
    await call(model, { toolChoice: 'none' })
    const { body, tools } = server.requests.at(-1) ?? assert.fail()
    assert.deepEqual(tools, model.facts.toolChoiceNone ? ['search', 'now'] : [])
    const choice = model.facts.toolChoiceNone ? (id.startsWith('anthropic') ? { type: 'none' } : 'none') : undefined
    assert.deepEqual(body['tool_choice'], choice)
  })

  test(`${id}: a silent provider is not guessed for`, async () => {
    next = { text: 'ok', usage: 'silent' }
    const { usage } = finishOf(await call(await models.model(id)))
    if (!id.startsWith('anthropic')) assert.equal(usage.promptTokens, undefined)
    if (!id.startsWith('anthropic')) assert.equal(usage.cachedTokens, undefined)
  })

  test(`${id}: an answer that was cut short says so`, async () => {
    next = { text: 'and then', finish: 'length' }
    assert.equal(finishOf(await call(await models.model(id))).reason, 'length')
  })

  test(`${id}: refusals have codes, and never the key`, async () => {
    const codes: [number, unknown, ModelError['code']][] = [
      [401, { error: { message: `Incorrect API key provided: ${KEY}` } }, 'auth'],
      [404, { error: { message: 'model not found' } }, 'model-not-found'],
      [429, { error: { message: 'slow down' } }, 'rate-limit'],
      [429, { error: { message: 'no credit', code: 'insufficient_quota' } }, 'quota'],
      [400, { error: { message: `bad field near ${KEY}` } }, 'bad-request'],
      [400, { error: { message: 'x', code: 'content_filter' } }, 'content-filter'],
      [500, 'oh no', 'server'],
      [400, { error: { message: 'prompt is too long: 9000 tokens > 8192 maximum' } }, 'context-overflow'],
    ]
    for (const [status, body, code] of codes) {
      next = { status, body, headers: { 'retry-after': '7' } }
      const error = await failureOf(id)
      assert.deepEqual([error.code, error.facts.status], [code, status])
      assert.equal(error.facts.retryAfterMs, code === 'rate-limit' || code === 'server' ? 7000 : undefined)
      if (code === 'context-overflow') assert.deepEqual([error.facts.sent, error.facts.limit], [9000, 8192])
    }
  })

  test(`${id}: an error in the stream ends the call`, async () => {
    next = { text: 'well', streamError: { message: `overloaded, ${KEY}` } }
    assert.equal((await failureOf(id)).code, 'server')
  })

  test(`${id}: an answer that breaks off is none`, async () => {
    next = { text: 'one two three', cutAfter: 3 }
    assert.equal((await failureOf(id)).code, 'network')
    next = { cutAfter: 0 }
    assert.equal((await failureOf(id)).code, 'network')
  })

  test(`${id}: silence ends after the time limit, before the answer and within it`, async () => {
    next = { hangAfter: 0 }
    assert.equal((await failureOf(id, {}, hurried)).code, 'timeout')
    next = { text: 'one two three four five six seven', hangAfter: 5 }
    assert.equal((await failureOf(id, {}, hurriedBetweenPieces)).code, 'timeout')
  })

  test(`${id}: cancelling ends the call and the connection`, async () => {
    next = { text: 'one two three four', hangAfter: 5 }
    const controller = new AbortController()
    const model = await models.model(id)
    const stream = model.call(REQUEST, { signal: controller.signal })
    await assert.rejects(
      async () => {
        for await (const { type } of stream) if (type === 'text-delta') controller.abort()
      },
      (error) => error instanceof ModelError && error.code === 'cancelled',
    )
    await leaves(server.requests.at(-1))
  })

  test(`${id}: a listener that leaves closes the connection`, async () => {
    next = { text: 'one two three four', hangAfter: 5 }
    const signal = new AbortController().signal
    for await (const { type } of (await models.model(id)).call(REQUEST, { signal })) if (type === 'text-delta') break
    await leaves(server.requests.at(-1))
  })

  test(`${id}: a server that read less than was sent has truncated the prompt`, async () => {
    next = { text: 'sure', usage: { promptTokens: 90, outputTokens: 1 } }
    const error = await failureOf(id, { leastPromptTokens: 100 })
    assert.equal(error.code, 'prompt-truncated')
    assert.match(error.message, /prompt was truncated by the server/)
    assert.equal(finishOf(await call(await models.model(id), { leastPromptTokens: 90 })).reason, 'stop')
  })

  test(`${id}: the same request is the same bytes`, async () => {
    next = { text: 'ok' }
    const model = await models.model(id)
    await call(model)
    await call(model)
    const [first, second] = server.requests.slice(-2)
    assert.equal(first?.sha256, second?.sha256)
  })

  test(`${id}: an image goes as an image to a model that sees, and as words to one that does not`, async () => {
    next = { text: 'ok' }
    const image = { type: 'image' as const, image: 'aGVsbG8=', mediaType: 'image/png' }
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Look:' }, image] }]
    const model = await models.model(id)
    await call(model, {}, { ...REQUEST, messages })
    const sent = server.requests.at(-1)?.bytes.toString() ?? ''
    assert.equal(sent.includes('aGVsbG8='), model.facts.vision)
    assert.equal(sent.includes('cannot see images'), !model.facts.vision)
  })
}

for (const id of ['ollama/scripted', 'responses/gpt-5.4', 'anthropic/claude-sonnet-5-5', 'local/scripted']) {
  test(`${id}: reasoning is told apart from the answer, and goes back as the provider wants it`, async () => {
    next = { reasoning: ['Hm, ', 'news.'], signature: 'signed', text: 'Hello' }
    const model = await models.model(id)
    const events = await call(model)
    assert.deepEqual(
      events.filter(({ type }) => type === 'reasoning-delta'),
      ['Hm, ', 'news.'].map((text) => ({ type: 'reasoning-delta', text })),
    )
    const { message } = finishOf(events)
    assert.deepEqual(textsOf(message), ['Hello'])
    const messages = [...REQUEST.messages, message, { role: 'user' as const, content: 'And?' }]
    await call(model, {}, { ...REQUEST, messages })
    const sent = server.requests.at(-1)?.bytes.toString() ?? ''
    assert.match(sent, id.startsWith('responses') || id.startsWith('anthropic') ? /"signed"/ : /Hm, news\./)
  })
}

test('Ollama gets its window, its longest answer and whether to think, in its own words', async () => {
  next = { text: 'ok' }
  const model = await models.model('ollama/scripted')
  await call(model, { window: 12_000, maxOutputTokens: 500, reasoning: 'high', parameters: { temperature: 0 } })
  const { body } = server.requests.at(-1) ?? assert.fail()
  assert.deepEqual(body['options'], { num_ctx: 12_000, num_predict: 500, temperature: 0 })
  assert.equal(body['think'], true)
})

test('Ollama that says nothing, or nought, about the prompt is not accused of truncating it', async () => {
  next = { text: 'ok', usage: { promptTokens: 0, outputTokens: 1 } }
  const { usage } = finishOf(await call(await models.model('ollama/scripted'), { leastPromptTokens: 100 }))
  assert.equal(usage.promptTokens, undefined)
})

test('OpenAI is asked statelessly: every request carries the whole conversation', async () => {
  next = { text: 'ok' }
  await call(await models.model('responses/gpt-5.4'))
  const { body } = server.requests.at(-1) ?? assert.fail()
  assert.equal(body['store'], false)
  assert.deepEqual(body['include'], ['reasoning.encrypted_content'])
})

test('Anthropic gets four cache marks: tools, system, settled history, newest message', async () => {
  next = { text: 'ok' }
  const messages: ModelRequest['messages'] = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
  ]
  await call(await models.model('anthropic/claude-sonnet-5-5'), {}, { ...REQUEST, messages })
  const { body, bytes } = server.requests.at(-1) ?? assert.fail()
  const mark = { type: 'ephemeral' }
  const [, last] = body['tools'] as { cache_control?: unknown }[]
  assert.deepEqual(last?.cache_control, mark)
  assert.deepEqual(body['system'], [{ type: 'text', text: 'Be brief.', cache_control: mark }])
  const [first, settled, newest] = body['messages'] as { content: { cache_control?: unknown }[] }[]
  assert.deepEqual(
    [first, settled, newest].map((message) => message?.content[0]?.cache_control),
    [undefined, mark, mark],
  )
  assert.equal(bytes.toString().split('cache_control').length - 1, 4)
})

test('Anthropic thinks within the longest answer that was budgeted, not on top of it', async () => {
  next = { text: 'ok' }
  await call(await models.model('anthropic/claude-haiku-4-5'), { reasoning: 'medium', maxOutputTokens: 4000 })
  const { body } = server.requests.at(-1) ?? assert.fail()
  assert.equal(body['max_tokens'], 4000)
  assert.deepEqual(body['thinking'], { type: 'enabled', budget_tokens: 2000 })
})

test('cached and reasoned tokens are told apart where a provider tells them', async () => {
  next = { text: 'ok', usage: { promptTokens: 100, cachedTokens: 60, outputTokens: 9, reasoningTokens: 4 } }
  for (const id of ['openai/gpt-5.4', 'responses/gpt-5.4', 'anthropic/claude-sonnet-5-5', 'local/scripted']) {
    const { usage } = finishOf(await call(await models.model(id)))
    assert.deepEqual(
      { ...usage, cacheWrittenTokens: undefined },
      {
        promptTokens: 100,
        cachedTokens: 60,
        cacheWrittenTokens: undefined,
        outputTokens: 9,
        reasoningTokens: 4,
      },
    )
  }
})

test('parallel calls of one model each get their own wire', async () => {
  next = { text: 'ok' }
  const model = await models.model('local/scripted')
  const asked = ['one', 'two', 'three'].map((content) => ({
    ...REQUEST,
    messages: [{ role: 'user' as const, content }],
  }))
  const all = await Promise.all(asked.map((request) => call(model, {}, request)))
  const arrived = new Set(server.requests.slice(-3).map(({ sha256 }) => sha256))
  assert.deepEqual(new Set(all.map(([wire]) => wire?.type === 'wire' && wire.sha256)), arrived)
  assert.equal(arrived.size, 3)
})

test('a server that is not there is a network failure that says where it was looked for', async () => {
  const gone = createModels({
    known,
    providers: { local: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:1/v1' } },
  })
  await assert.rejects(
    async () => call(await gone.model('local/x')),
    (error) =>
      error instanceof ModelError && error.code === 'network' && /providers\.local\.baseURL/.test(error.message),
  )
})

/** The server notices a moment later. A client that never leaves runs into the time limit of the test. */
async function leaves(request: ScriptedRequest | undefined): Promise<void> {
  for (;;) {
    if (request?.cancelled) return
    await pause(5)
  }
}

function textsOf(message: { readonly content: unknown }): readonly string[] {
  const parts = message.content as readonly { readonly type: string; readonly text?: string }[]
  return parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
}
