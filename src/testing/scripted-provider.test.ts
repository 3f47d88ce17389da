import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { providers as known } from '../capabilities/providers.ts'
import { createModels, ModelError, type ModelRequest } from '../model.ts'
import { collectEvents, finishEvent, KEY, REQUEST, messageTexts } from './provider-cases.ts'
import { scriptedProvider } from './scripted-provider.ts'
import type { ScriptedAnswer } from './scripted-provider-answer.ts'
import { systemClock } from '../platform.ts'

let next: ScriptedAnswer = {}
const server = await scriptedProvider({
  answer: () => next,
  models: [{ name: 'scripted', capabilities: ['tools', 'thinking'] }],
})
after(() => server.close())

const ours = { baseURL: server.url, apiKeyEnv: 'KEY' } as const
const models = createModels({
  clock: systemClock,
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

for (const id of ['ollama/scripted', 'responses/gpt-5.4', 'anthropic/claude-sonnet-5-5', 'local/scripted']) {
  test(`${id}: reasoning is separate from the answer, and is sent back as the provider expects`, async () => {
    next = { reasoning: ['Hm, ', 'news.'], signature: 'signed', text: 'Hello' }
    const model = await models.model(id)
    const events = await collectEvents(model)
    assert.deepEqual(
      events.filter(({ type }) => type === 'reasoning-delta'),
      ['Hm, ', 'news.'].map((text) => ({ type: 'reasoning-delta', text })),
    )
    const { message } = finishEvent(events)
    assert.deepEqual(messageTexts(message), ['Hello'])
    const messages = [...REQUEST.messages, message, { role: 'user' as const, content: 'And?' }]
    await collectEvents(model, {}, { ...REQUEST, messages })
    const sent = server.requests.at(-1)?.bytes.toString() ?? ''
    assert.match(sent, id.startsWith('responses') || id.startsWith('anthropic') ? /"signed"/ : /Hm, news\./)
  })
}

for (const [id, names] of Object.entries({
  'openai/gpt-5.4': /"id":"((?:resp|chatcmpl)[-_]\d+)"/,
  'anthropic/claude-sonnet-5-5': /"id":"(msg_\d+)"/,
  'local/scripted': /"id":"(chatcmpl-\d+)"/,
})) {
  test(`${id}: every answer has an id of its own, the same in all of its parts`, async () => {
    next = { text: 'ok' }
    await collectEvents(await models.model(id))
    const { path, bytes, headers } = server.requests.at(-1)!
    const answered = async () => {
      const { 'content-type': type = '', authorization = '' } = headers
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: { 'content-type': type, authorization },
        body: new Uint8Array(bytes),
      })
      const found = [...(await response.text()).matchAll(new RegExp(names, 'g'))].map(([, name]) => name)
      return [...new Set(found)]
    }
    const [first, second] = [await answered(), await answered()]
    assert.deepEqual([first.length, second.length], [1, 1])
    assert.notEqual(first[0], second[0])
  })
}

test('Ollama gets its window, its longest answer and whether to think, in its own parameters', async () => {
  next = { text: 'ok' }
  const model = await models.model('ollama/scripted')
  await collectEvents(model, {
    window: 12_000,
    maxOutputTokens: 500,
    reasoning: 'high',
    parameters: { temperature: 0 },
  })
  const { body } = server.requests.at(-1) ?? assert.fail()
  assert.deepEqual(body['options'], { num_ctx: 12_000, num_predict: 500, temperature: 0 })
  assert.equal(body['think'], true)
})

test('an Ollama that reports no prompt tokens, or zero, did not truncate the prompt', async () => {
  next = { text: 'ok', usage: { promptTokens: 0, outputTokens: 1 } }
  const { usage } = finishEvent(await collectEvents(await models.model('ollama/scripted'), { leastPromptTokens: 100 }))
  assert.equal(usage.promptTokens, undefined)
})

test('requests to OpenAI are stateless: each one contains the whole conversation', async () => {
  next = { text: 'ok' }
  await collectEvents(await models.model('responses/gpt-5.4'))
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
  await collectEvents(await models.model('anthropic/claude-sonnet-5-5'), {}, { ...REQUEST, messages })
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

test('the thinking budget of Anthropic is part of the longest answer', async () => {
  next = { text: 'ok' }
  await collectEvents(await models.model('anthropic/claude-haiku-4-5'), { reasoning: 'medium', maxOutputTokens: 4000 })
  const { body } = server.requests.at(-1) ?? assert.fail()
  assert.equal(body['max_tokens'], 4000)
  assert.deepEqual(body['thinking'], { type: 'enabled', budget_tokens: 2000 })
})

test('cached tokens and reasoning tokens are separate if a provider reports them', async () => {
  next = { text: 'ok', usage: { promptTokens: 100, cachedTokens: 60, outputTokens: 9, reasoningTokens: 4 } }
  for (const id of ['openai/gpt-5.4', 'responses/gpt-5.4', 'anthropic/claude-sonnet-5-5', 'local/scripted']) {
    const { usage } = finishEvent(await collectEvents(await models.model(id)))
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

test('parallel calls of one model each get their own wire event', async () => {
  next = { text: 'ok' }
  const model = await models.model('local/scripted')
  const asked = ['one', 'two', 'three'].map((content) => ({
    ...REQUEST,
    messages: [{ role: 'user' as const, content }],
  }))
  const all = await Promise.all(asked.map((request) => collectEvents(model, {}, request)))
  const arrived = new Set(server.requests.slice(-3).map(({ sha256 }) => sha256))
  assert.deepEqual(new Set(all.map(([wire]) => wire?.type === 'wire' && wire.sha256)), arrived)
  assert.equal(arrived.size, 3)
})

test('an unreachable server is a network error with its URL', async () => {
  const gone = createModels({
    clock: systemClock,
    known,
    providers: { local: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:1/v1' } },
  })
  await assert.rejects(
    async () => collectEvents(await gone.model('local/x')),
    (error) =>
      error instanceof ModelError && error.code === 'network' && /providers\.local\.baseURL/.test(error.message),
  )
})
