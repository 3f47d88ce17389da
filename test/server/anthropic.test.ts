import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import * as fc from 'fast-check'
import type { AnyMessage } from '../../src/context.ts'
import { RuntimeError, type CompletionEvent } from '../../src/capability.ts'
import { type ErrorCode, errorCodes } from '../../src/platform.ts'
import { anthropicGateway } from './anthropic-gateway.ts'
import { claudeCodeCalls, claudeCodeSideCalls } from './claude-code-calls.ts'
import { type ScriptedOptions, scriptedRuntime } from './scripted-runtime.ts'
import { served, TOKEN } from './served.ts'

const path = '/v1/messages'
const hello = [{ role: 'user' as const, content: 'hello' }]
const asked = { model: 'foreword', max_tokens: 100, messages: hello }

/** Anthropic's own client over a server in memory. */
function clientOf(options: ScriptedOptions = {}) {
  const runtime = scriptedRuntime(options)
  const { server, request } = served(runtime)
  const fetch = (input: string | URL | Request, init?: RequestInit) => server.fetch(new Request(input, init))
  const client = new Anthropic({ apiKey: TOKEN, baseURL: 'http://127.0.0.1:4141', maxRetries: 0, fetch })
  return { client, runtime, request }
}

test('whatever conversation the client sends, the runtime is asked with all of it', async () => {
  const { client, runtime } = clientOf()
  await fc.assert(
    fc.asyncProperty(conversations(), async ({ sent, core }) => {
      await client.messages.create({ ...asked, ...sent })
      const { messages } = runtime.completed.at(-1)!
      // As JSON: that is what the log keeps of it.
      assert.deepEqual(JSON.parse(JSON.stringify(messages)), JSON.parse(JSON.stringify(core.map(asOneText))))
    }),
    { numRuns: 200 },
  )
})

interface Conversation {
  readonly sent: Pick<Anthropic.MessageCreateParamsNonStreaming, 'messages' | 'system'>
  /** The same, as the runtime has to get it. */
  readonly core: readonly AnyMessage[]
}

/** A list of one text says the same as the text. */
function asOneText(message: AnyMessage): AnyMessage {
  const [first, ...others] = message.content
  const isOne = typeof first === 'object' && first.type === 'text' && others.length === 0
  return isOne ? ({ ...message, content: first.text } as AnyMessage) : message
}

const words = () => fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })

/** Conversations of system texts, words, thinking, calls and their results. */
function conversations(): fc.Arbitrary<Conversation> {
  return fc
    .record({ system: fc.array(words(), { maxLength: 3 }), turns: fc.array(turn(), { minLength: 1, maxLength: 4 }) })
    .map(({ system, turns }) => {
      // Ids of calls are those of their place.
      const made = turns.map((each, index) => each(`call-${index}`))
      return {
        sent: {
          ...(system.length === 0 ? {} : { system: system.map((text) => ({ type: 'text' as const, text })) }),
          messages: made.flatMap(({ sent }) => sent),
        },
        core: [
          ...system.map((content): AnyMessage => ({ role: 'system', content })),
          ...made.flatMap(({ core }) => core),
        ],
      }
    })
}

type Turn = (id: string) => { readonly sent: Anthropic.MessageParam[]; readonly core: AnyMessage[] }

function turn(): fc.Arbitrary<Turn> {
  return fc
    .record({
      said: fc.oneof(words(), fc.array(words(), { minLength: 1, maxLength: 3 })),
      amid: fc.option(words()),
      thought: fc.option(fc.record({ text: words(), signature: fc.option(fc.base64String({ minLength: 4 })) })),
      hidden: fc.option(words()),
      answer: words(),
      input: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true }),
      result: words(),
      more: fc.option(words()),
      fails: fc.boolean(),
    })
    .map(({ said, amid, thought, hidden, answer, input, result, more, fails }) => (id) => {
      const texts = (list: readonly string[]) => list.map((text) => ({ type: 'text' as const, text }))
      const between = amid === null ? [] : [{ role: 'system' as const, content: amid }]
      const content = typeof said === 'string' ? said : texts(said)
      const thinking =
        thought === null
          ? []
          : [{ type: 'thinking' as const, thinking: thought.text, signature: thought.signature ?? '' }]
      const reasoning =
        thought === null
          ? []
          : [
              {
                type: 'reasoning' as const,
                text: thought.text,
                ...(thought.signature ? { providerOptions: { anthropic: { signature: thought.signature } } } : {}),
              },
            ]
      const redacted = hidden === null ? [] : [{ type: 'redacted_thinking' as const, data: hidden }]
      const encrypted =
        hidden === null
          ? []
          : [{ type: 'reasoning' as const, text: '', providerOptions: { anthropic: { redactedData: hidden } } }]
      const both = more === null ? [result] : [result, more]
      return {
        sent: [
          { role: 'user', content },
          ...between,
          {
            role: 'assistant',
            content: [...thinking, ...redacted, ...texts([answer]), { type: 'tool_use', id, name: 'look', input }],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: id, content: result, is_error: fails },
              ...texts(more === null ? [] : [more]),
            ],
          },
        ],
        core: [
          { role: 'user', content },
          ...between,
          {
            role: 'assistant',
            content: [
              ...reasoning,
              ...encrypted,
              ...texts([answer]),
              { type: 'tool-call', toolCallId: id, toolName: 'look', input },
            ],
          },
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: id,
                toolName: 'look',
                output: { type: fails ? 'error-text' : 'text', value: both[0]! },
              },
            ],
          },
          ...(more === null ? [] : [{ role: 'user' as const, content: texts([more]) }]),
        ],
      }
    })
}

test('what a provider needs back with its reasoning is a signature, and comes back to it', async () => {
  const needed = { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'locked' } }
  const complete = async function* (): AsyncGenerator<CompletionEvent> {
    yield { type: 'call-start', call: 'c', model: 'm' }
    yield { type: 'reasoning-delta', text: 'Hm.' }
    yield { type: 'reasoning-end', providerOptions: needed }
    yield { type: 'reasoning-end', providerOptions: { anthropic: { redactedData: 'hidden' } } }
    yield { type: 'text-delta', text: 'Hello' }
    yield { type: 'finish', reason: 'stop', usage: unreported }
  }
  const { client, runtime } = clientOf({ complete })
  for (const { content } of [await client.messages.create(asked), await client.messages.stream(asked).finalMessage()]) {
    assert.deepEqual(
      content.map(({ type }) => type),
      ['thinking', 'redacted_thinking', 'text'],
    )
    await client.messages.create({ ...asked, messages: [...hello, { role: 'assistant', content }, ...hello] })
    assert.deepEqual(runtime.completed.at(-1)!.messages[1], {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', providerOptions: needed },
        { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'hidden' } } },
        { type: 'text', text: 'Hello' },
      ],
    })
  }
  for (const signature of ['foreword:bm8=', 'foreword:', `foreword:${Buffer.from('[1]').toString('base64url')}`]) {
    const content = [{ type: 'thinking' as const, thinking: 'x', signature }]
    await client.messages.create({ ...asked, messages: [...hello, { role: 'assistant', content }, ...hello] })
    assert.deepEqual(runtime.completed.at(-1)!.messages[1]!.content, [{ type: 'reasoning', text: 'x' }])
  }
})

const unreported = {
  promptTokens: undefined,
  cachedTokens: undefined,
  cacheWrittenTokens: undefined,
  outputTokens: undefined,
  reasoningTokens: undefined,
}

test('every call of a session of Claude Code is answered', async (t) => {
  const { url, provider } = await anthropicGateway(t, {
    answer: ({ body }) => (body['stream'] ? { text: 'Done.', usage: { promptTokens: 50, outputTokens: 2 } } : {}),
  })
  for (const [index, body] of [...claudeCodeCalls, ...claudeCodeSideCalls].entries()) {
    const response = await fetch(`${url}${path}?beta=true`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': TOKEN,
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'claude-code-20250219,effort-2025-11-24',
        'user-agent': 'claude-cli/2.1.330 (external, sdk-cli)',
        'x-claude-code-session-id': '00000000-0000-4000-8000-000000000000',
      },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    assert.equal(response.status, 200, `call ${index + 1}: ${text}`)
    assert.match(text, /Done\./)
  }
  assert.equal(provider.requests.length, claudeCodeCalls.length + claudeCodeSideCalls.length)
  const { body } = provider.requests[2]!
  const roles = (body['messages'] as Anthropic.MessageParam[]).map(({ role }) => role)
  assert.deepEqual(roles, ['user', 'system', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user'])
  assert.equal((body['system'] as object[]).length, 3)
  assert.equal((body['output_config'] as { effort: string }).effort, 'medium')
  // The marks of the gateway: the last tool, the last of the system texts, the settled history and the newest message.
  assert.ok(JSON.stringify(body).split('"cache_control"').length - 1 <= 4)
})

test('the token may come as x-api-key, and a wrong one opens nothing', async () => {
  const { server } = served(scriptedRuntime())
  const ask = (headers: Record<string, string>) =>
    server.fetch(
      new Request(`http://127.0.0.1:4141${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(asked),
      }),
    )
  assert.equal((await ask({ 'x-api-key': TOKEN })).status, 200)
  const wrong: readonly Record<string, string>[] = [{ 'x-api-key': 'guess' }, { 'x-api-key': '' }, {}]
  for (const headers of wrong) {
    const response = await ask(headers)
    const { error } = (await response.json()) as { error: { type: string } }
    assert.deepEqual([response.status, error.type], [401, 'authentication_error'])
  }
  // What is in Authorization counts.
  assert.equal((await ask({ 'x-api-key': TOKEN, authorization: 'Bearer guess' })).status, 401)
})

test('fields that are not used are named, wherever they are, and a model that cannot reason is not asked to', async () => {
  const { request, runtime } = clientOf()
  const known = await runtime.model()
  const always = [
    'context_management',
    'messages.content.cache_control',
    'messages.output_config',
    'metadata',
    'service_tier',
    'system.cache_control',
    'thinking.display',
    'tools.defer_loading',
  ]
  const ask = async (reasoning: boolean) => {
    runtime.model = async () => ({ ...known, facts: { ...known.facts, reasoning } })
    const response = await request(path, { body: { ...claudeCodeCalls[0]!, model: 'foreword', service_tier: 'auto' } })
    assert.equal(response.status, 200)
    await response.text()
    return response.headers.get('x-foreword-ignored')!.split(', ').toSorted()
  }
  assert.deepEqual(await ask(true), always)
  assert.deepEqual(runtime.completed[0]!.parameters, { reasoningEffort: 'medium' })
  assert.deepEqual(await ask(false), [...always, 'output_config.effort', 'thinking'].toSorted())
  assert.equal(runtime.completed[1]!.parameters, undefined)
})

test('each failure has the status and the type of Anthropic, and one that is asked again in vain says so', async () => {
  const expected: Partial<Record<ErrorCode, readonly [number, string]>> = {
    'invalid-input': [400, 'invalid_request_error'],
    'context-overflow': [400, 'invalid_request_error'],
    'content-filter': [400, 'invalid_request_error'],
    'over-budget': [402, 'billing_error'],
    quota: [402, 'billing_error'],
    forbidden: [403, 'permission_error'],
    'model-not-found': [404, 'not_found_error'],
    'body-too-large': [413, 'request_too_large'],
    'rate-limit': [429, 'rate_limit_error'],
    internal: [500, 'api_error'],
    server: [502, 'api_error'],
    timeout: [504, 'timeout_error'],
    closing: [529, 'overloaded_error'],
  }
  for (const [code, [status, type]] of Object.entries(expected)) {
    const complete = async function* (): AsyncGenerator<CompletionEvent> {
      yield { type: 'call-start', call: 'call-1', model: 'm' }
      throw new RuntimeError(code as 'internal', 'It failed.', { call: 'call-1' })
    }
    const { request } = clientOf({ complete })
    for (const stream of [false, true]) {
      const response = await request(path, { body: { ...asked, stream } })
      const body = (await response.json()) as { type: string; error: { type: string }; request_id: string }
      assert.deepEqual([response.status, body.type, body.error.type], [status, 'error', type], code)
      assert.deepEqual([body.request_id, response.headers.get('request-id')], ['call-1', 'call-1'], code)
      const { retryable } = errorCodes[code as ErrorCode] as { retryable?: true }
      const retries = status === 429 || status >= 500
      const inVain = status === 402 || (retries && !retryable)
      assert.equal(response.headers.get('x-should-retry'), inVain ? 'false' : null, code)
    }
  }
})

test('a request of a client of Anthropic has errors in its format under all of /v1, any other has those of its path', async () => {
  const { request } = clientOf()
  const typeOf = async (where: string, headers: Record<string, string>) => {
    const { type } = (await (await request(where, { headers })).json()) as { type?: string }
    return type
  }
  const version = { 'anthropic-version': '2023-06-01' }
  assert.equal(await typeOf('/v1/models/none/none', version), 'error')
  assert.equal(await typeOf('/v1/models/none/none', {}), undefined)
  assert.equal(await typeOf('/v1/nothing', version), 'error')
  assert.equal(await typeOf('/v1/messages', {}), 'error')
  assert.equal(await typeOf('/api/nothing', version), undefined)
})
