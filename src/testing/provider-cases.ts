import assert from 'node:assert/strict'
import {
  ModelError,
  type CallOptions,
  createModels,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type Provider,
  type ProviderConfiguration,
  type Timeouts,
} from '../model.ts'
import type { TestFunction } from './test-function.ts'
import { systemClock } from '../platform.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { ScriptedAnswer, ScriptedRequest } from './scripted-provider-answer.ts'
import { scriptedProvider } from './scripted-provider.ts'

/**
 * Adds a test for every rule of a provider, over a scripted server with the formats of Ollama, OpenAI and Anthropic. Any
 * provider that uses one of these formats can run them:
 *
 * ```ts
 * providerCases(test, { provider: openrouter, model: 'scripted' })
 * ```
 */
export function providerCases(test: TestFunction, options: ProviderCasesOptions): void {
  const providerCase: ProviderCase = (name, run) => {
    test(`${options.provider.kind}/${options.model}: ${name}`, async () => {
      const world = await providerWorld(options)
      try {
        await run(world)
      } finally {
        await world.server.close()
      }
    })
  }
  answerCases(providerCase)
  toolCases(providerCase)
  failureCases(providerCase)
  endCases(providerCase)
  requestCases(providerCase, options)
}

function answerCases(providerCase: ProviderCase): void {
  providerCase('text streams piece by piece, and the final message is complete', async ({ script, call }) => {
    const text = ['Hel', 'lo ', 'there']
    script({ text, usage: { promptTokens: 40, outputTokens: 3 } })
    const events = await call()
    const deltas = events.filter(({ type }) => type === 'text-delta')
    assert.deepEqual(
      deltas,
      text.map((piece) => ({ type: 'text-delta', text: piece })),
    )
    const { message, reason, usage } = finishEvent(events)
    assert.equal(reason, 'stop')
    assert.equal(usage.promptTokens, 40)
    assert.equal(usage.outputTokens, 3)
    assert.deepEqual(messageTexts(message), ['Hello there'])
  })

  providerCase('tokens that the provider does not report are not guessed', async ({ script, call, lastRequest }) => {
    script({ text: 'ok', usage: 'silent' })
    const { usage } = finishEvent(await call())
    if (lastRequest().wire === 'anthropic') return
    assert.equal(usage.promptTokens, undefined)
    assert.equal(usage.cachedTokens, undefined)
  })

  providerCase('an answer that was cut short ends with the reason length', async ({ script, call }) => {
    script({ text: 'and then', finish: 'length' })
    assert.equal(finishEvent(await call()).reason, 'length')
  })

  providerCase('a prompt that the server truncated is an error', async ({ script, call, fail }) => {
    script({ text: 'sure', usage: { promptTokens: 90, outputTokens: 1 } })
    const error = await fail({ leastPromptTokens: 100 })
    assert.equal(error.code, 'prompt-truncated')
    assert.match(error.message, /prompt was truncated by the server/)
    assert.equal(finishEvent(await call({ leastPromptTokens: 90 })).reason, 'stop')
  })
}

function toolCases(providerCase: ProviderCase): void {
  providerCase('parallel calls arrive completely, and input that is not JSON stays a string', async (world) => {
    const { script, call, lastRequest } = world
    // Ollama sends the input as an object.
    const inputs = (wire: string) => [{ q: 'news' }, wire === 'ollama' ? { q: 'x' } : '{"q": "x']
    const ids = ['call_a', 'call_b']
    script(({ wire }) => ({
      text: 'Let me see.',
      toolCalls: inputs(wire).map((input, index) => ({ id: ids[index]!, name: 'search', input })),
    }))
    const events = await call()
    const calls = inputs(lastRequest().wire).map((input, index) => ({
      type: 'tool-call',
      toolCallId: ids[index],
      toolName: 'search',
      input,
    }))
    const arrived = events.filter(({ type }) => type === 'tool-call')
    assert.deepEqual(arrived, calls)
    const { message, reason } = finishEvent(events)
    assert.equal(reason, 'tool-calls')
    const parts = typeof message.content === 'string' ? [] : message.content
    assert.deepEqual(
      parts.flatMap((part) => (part.type === 'tool-call' ? [{ ...part, providerOptions: undefined }] : [])),
      calls.map((fields) => ({ ...fields, providerOptions: undefined })),
    )
  })

  providerCase(
    'calls and results are sent back, and the next answer arrives',
    async ({ script, call, lastRequest }) => {
      script({ toolCalls: [{ id: 'call_a', name: 'search', input: { q: 'news' } }] })
      const { message } = finishEvent(await call())
      script({ text: 'Nothing.' })
      const output = { type: 'text', value: 'no news' } as const
      const result = { type: 'tool-result', toolCallId: 'call_a', toolName: 'search', output } as const
      const messages = [...REQUEST.messages, message, { role: 'tool' as const, content: [result] }]
      assert.deepEqual(messageTexts(finishEvent(await call({}, { ...REQUEST, messages })).message), ['Nothing.'])
      assert.match(lastRequest().bytes.toString(), /no news/)
    },
  )

  providerCase('a last step sends toolChoice none, or no tools where there is no such choice', async (world) => {
    const { script, model, lastRequest } = world
    script({ text: 'Done.' })
    const opened = await model()
    await collectEvents(opened, { toolChoice: 'none' })
    const { body, tools, wire } = lastRequest()
    const { toolChoiceNone } = opened.facts
    assert.deepEqual(tools, toolChoiceNone ? ['search', 'now'] : [])
    assert.deepEqual(
      body['tool_choice'],
      toolChoiceNone ? (wire === 'anthropic' ? { type: 'none' } : 'none') : undefined,
    )
  })
}

function failureCases(providerCase: ProviderCase): void {
  const refusals: readonly (readonly [number, unknown, ModelError['code']])[] = [
    [401, { error: { message: `Incorrect API key provided: ${KEY}` } }, 'auth'],
    [404, { error: { message: 'model not found' } }, 'model-not-found'],
    [429, { error: { message: 'slow down' } }, 'rate-limit'],
    [429, { error: { message: 'no credit', code: 'insufficient_quota' } }, 'quota'],
    [400, { error: { message: `bad field near ${KEY}` } }, 'bad-request'],
    [400, { error: { message: 'x', code: 'content_filter' } }, 'content-filter'],
    [500, 'oh no', 'server'],
    [400, { error: { message: 'prompt is too long: 9000 tokens > 8192 maximum' } }, 'context-overflow'],
  ]
  providerCase('refusals have codes and never contain the key', async ({ script, fail }) => {
    for (const [status, body, code] of refusals) {
      script({ status, body, headers: { 'retry-after': '7' } })
      const error = await fail()
      assert.deepEqual([error.code, error.facts.status], [code, status])
      assert.equal(error.facts.retryAfterMs, code === 'rate-limit' || code === 'server' ? 7000 : undefined)
      if (code === 'context-overflow') assert.deepEqual([error.facts.sent, error.facts.limit], [9000, 8192])
    }
  })

  providerCase('an error in the stream ends the call', async ({ script, fail }) => {
    script({ text: 'well', streamError: { message: `overloaded, ${KEY}` } })
    assert.equal((await fail()).code, 'server')
  })

  providerCase('an interrupted answer is an error', async ({ script, fail }) => {
    script({ text: 'one two three', cutAfter: 3 })
    assert.equal((await fail()).code, 'network')
    script({ cutAfter: 0 })
    assert.equal((await fail()).code, 'network')
  })
}

function endCases(providerCase: ProviderCase): void {
  providerCase('a silent server runs into the timeout, before and during the answer', async ({ script, fail }) => {
    // Only this case has such a short timeout, since a busy machine can be silent for that long.
    script({ hangAfter: 0 })
    assert.equal((await fail({}, { firstMs: 50, idleMs: 50 })).code, 'timeout')
    script({ text: 'one two three four five six seven', hangAfter: 5 })
    assert.equal((await fail({}, { idleMs: 50 })).code, 'timeout')
  })

  providerCase('cancelling ends the call and the connection', async ({ script, model, lastRequest }) => {
    script({ text: 'one two three four', hangAfter: 5 })
    const controller = new AbortController()
    const stream = (await model()).call(REQUEST, { signal: controller.signal })
    await assert.rejects(
      async () => {
        for await (const { type } of stream) if (type === 'text-delta') controller.abort()
      },
      (error) => error instanceof ModelError && error.code === 'cancelled',
    )
    await waitForDisconnect(lastRequest())
  })

  providerCase('a consumer that stops reading closes the connection', async ({ script, model, lastRequest }) => {
    script({ text: 'one two three four', hangAfter: 5 })
    const signal = new AbortController().signal
    for await (const { type } of (await model()).call(REQUEST, { signal })) if (type === 'text-delta') break
    await waitForDisconnect(lastRequest())
  })
}

function requestCases(providerCase: ProviderCase, { hasDigest = true }: ProviderCasesOptions): void {
  providerCase('the wire event comes first, with the digest of the body that arrived', async (world) => {
    const events = await world.call()
    const { sha256, bytes, path } = world.lastRequest()
    const url = `${world.server.url}${path}`
    const wire = { type: 'wire', sha256, bytes: bytes.byteLength, url }
    if (hasDigest) assert.deepEqual(events[0], wire)
    assert.equal(events.filter(({ type }) => type === 'wire').length, hasDigest ? 1 : 0)
    assert.equal('requestBody' in (await world.model()), hasDigest)
  })

  providerCase('the same request gives the same bytes', async ({ model, server }) => {
    const opened = await model()
    await collectEvents(opened)
    await collectEvents(opened)
    const [first, second] = server.requests
    assert.equal(first?.sha256, second?.sha256)
  })

  providerCase('a vision model gets an image, and any other model gets a text', async (world) => {
    const image = { type: 'image' as const, image: 'aGVsbG8=', mediaType: 'image/png' }
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Look:' }, image] }]
    const opened = await world.model()
    await collectEvents(opened, {}, { ...REQUEST, messages })
    const sent = world.lastRequest().bytes.toString()
    assert.equal(sent.includes('aGVsbG8='), opened.facts.vision)
    assert.equal(sent.includes('cannot see images'), !opened.facts.vision)
  })
}

/** The provider under test, and how it reaches the scripted server. */
export interface ProviderCasesOptions {
  readonly provider: Provider
  readonly model: string
  readonly configuration?: Omit<ProviderConfiguration, 'kind'>
  /** `false` if the provider does not use the `fetch` that it gets, so its requests have no digest. The default is `true`. */
  readonly hasDigest?: boolean
}

type ProviderCase = (name: string, run: (world: Awaited<ReturnType<typeof providerWorld>>) => Promise<void>) => void

/** Has the form of a real key, so that it is recognised in an error. */
export const KEY = 'sk-test-0123456789abcdef'

export const REQUEST: ModelRequest = {
  system: 'Be brief.',
  tools: [
    { name: 'search', description: 'Finds.', inputSchema: { type: 'object', properties: { q: { type: 'string' } } } },
    { name: 'now', inputSchema: { type: 'object', properties: {} } },
  ],
  messages: [{ role: 'user', content: 'What is new?' }],
}

/** A provider and its scripted server. Each case has its own. */
export async function providerWorld(options: ProviderCasesOptions) {
  let next: ScriptedAnswer | ((request: ScriptedRequest) => ScriptedAnswer) = { text: 'ok' }
  const server = await scriptedProvider({
    answer: (request) => (typeof next === 'function' ? next(request) : next),
    models: [{ name: options.model, capabilities: ['tools', 'thinking'] }],
  })
  const { kind } = options.provider
  const model = (timeouts: Partial<Timeouts> = {}) =>
    createModels({
      clock: systemClock,
      known: [options.provider],
      environment: { KEY },
      providers: { [kind]: { kind, baseURL: server.url, apiKeyEnv: 'KEY', ...options.configuration, timeouts } },
    }).model(`${kind}/${options.model}`)
  return {
    server,
    /** Sets the next answers of the server. */
    script: (answer: typeof next) => void (next = answer),
    model,
    call: async (callOptions?: Partial<CallOptions>, request?: ModelRequest) =>
      collectEvents(await model(), callOptions, request),
    /** Makes a call that must fail. Asserts that the error does not contain the key. */
    fail: async (callOptions?: Partial<CallOptions>, timeouts?: Partial<Timeouts>) =>
      expectFailure(await model(timeouts), callOptions),
    lastRequest: () => server.requests.at(-1) ?? assert.fail('no request arrived'),
  }
}

export function collectEvents(
  model: Model,
  options: Partial<CallOptions> = {},
  request = REQUEST,
): Promise<readonly ModelEvent[]> {
  return Array.fromAsync(model.call(request, { signal: new AbortController().signal, ...options }))
}

async function expectFailure(model: Model, options?: Partial<CallOptions>): Promise<ModelError> {
  const error = await collectEvents(model, options).then(
    () => assert.fail('the call succeeded'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ModelError, String(error))
  const text = `${error.message} ${JSON.stringify(error.facts)} ${error.stack}`
  assert.ok(!text.includes(KEY), 'the key is in the error')
  return error
}

export function finishEvent(events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'finish' }> {
  const finish = events.at(-1)
  assert.ok(finish?.type === 'finish')
  return finish
}

export function messageTexts(message: { readonly content: unknown }): readonly string[] {
  const parts = message.content as readonly { readonly type: string; readonly text?: string }[]
  return parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
}

/** Resolves when the client has disconnected. If it does not, the test runs into its timeout. */
async function waitForDisconnect(request: ScriptedRequest): Promise<void> {
  while (!request.cancelled) await pause(5)
}
