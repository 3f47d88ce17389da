import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { Span } from '../../src/capabilities/telemetry/conventions.ts'
import { createSpanExporter } from '../../src/capabilities/telemetry/span-exporter.ts'
import { telemetry } from '../../src/capabilities/telemetry/telemetry.ts'
import { telemetrySettings } from '../../src/capabilities/telemetry/telemetry-settings.ts'
import { callPrice, type AnyCapability } from '../../src/capability.ts'
import { knownSecrets, sha256, systemClock } from '../../src/platform.ts'
import { scriptedModel } from '../../src/testing.ts'
import { opened, type Setting, tool } from './opened.ts'
import {
  accept,
  type CollectorOptions,
  refuse,
  type ScriptedCollector,
  scriptedCollector,
} from './scripted-collector.ts'

const PRICE = { input: 1, output: 10, cachedInput: 0.1 }

async function exporting(
  t: TestContext,
  { collector: options, ...setting }: Setting & { readonly collector?: CollectorOptions } = {},
  settings: object = {},
) {
  const collector = await scriptedCollector(options)
  t.after(() => collector.close())
  const configured = telemetrySettings.parse({ enabled: true, endpoint: collector.url, ...settings })
  const here = await opened(t, {
    capabilities: [telemetry as AnyCapability],
    capabilitySettings: { telemetry: configured },
    ...setting,
  })
  return { here, collector }
}

function named(collector: ScriptedCollector, name: string) {
  return collector.spans.filter((span) => span.name === name)
}

test('a turn with a tool is a trace: the turn, its calls and its tool, with usage, cost, digests and sums', async (t) => {
  const model = scriptedModel({
    id: 'mistral/large',
    facts: { price: PRICE },
    answer: (_request, n) =>
      n === 1
        ? { toolCalls: [{ id: 'call_a', name: 'read', input: {} }], usage: USAGE }
        : { text: 'There.', usage: { ...USAGE, cachedTokens: 900, cacheWrittenTokens: 40 } },
  })
  const { here, collector } = await exporting(t, {
    model,
    tools: [tool('read', async () => ({ ok: true, output: 'x' }))],
  })
  const { session, turn } = await here.say('Where?')
  await collector.received(4)
  const [own] = named(collector, 'invoke_agent foreword')
  const chats = named(collector, 'chat large')
  const [used] = named(collector, 'execute_tool read')
  assert.deepEqual([own!.parentSpanId, own!.kind, own!.status], [undefined, 1, undefined])
  for (const span of [...chats, used!]) assert.deepEqual([span.parentSpanId, span.traceId], [own!.spanId, own!.traceId])
  assert.match(own!.traceId, /^[0-9a-f]{32}$/)
  assert.equal(new Set(collector.spans.map(({ spanId }) => spanId)).size, 4)
  assert.deepEqual(pick(own!.attributes, /^(gen_ai|foreword\.turn|foreword\.calls)/), {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'mistral_ai',
    'gen_ai.request.model': 'large',
    'gen_ai.agent.name': 'foreword',
    'gen_ai.agent.version': '0.1.0',
    'gen_ai.conversation.id': session,
    'gen_ai.usage.input_tokens': 2_000,
    'gen_ai.usage.output_tokens': 40,
    'gen_ai.usage.cache_read.input_tokens': 900,
    'gen_ai.usage.cache_creation.input_tokens': 40,
    'foreword.turn.id': turn,
    'foreword.turn.outcome': 'completed',
    'foreword.turn.waited_ms': 0,
    'foreword.calls': 2,
  })
  const calls = await here.store.calls(session)
  const { attributes } = chats[1]!
  const record = calls[1]!
  assert.deepEqual([chats.length, chats[1]!.kind], [2, 3])
  assert.deepEqual(pick(attributes, /usage|finish|digest|cost|tokens\.(used|history|system)|call\.id/), {
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 1_000,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.usage.cache_read.input_tokens': 900,
    'gen_ai.usage.cache_creation.input_tokens': 40,
    'foreword.call.id': record.id,
    'foreword.manifest.digest': sha256(JSON.stringify(record.manifest)),
    'foreword.request.digest': record.requestDigest,
    'foreword.tokens.used': record.manifest.used,
    'foreword.tokens.system': record.manifest.slots.system,
    'foreword.tokens.history': record.manifest.slots.history,
    'foreword.cost.usd': (await callPrice(here.runtime, record))!.money,
    'foreword.cost.saved_usd': (await callPrice(here.runtime, record))!.saved,
  })
  assert.ok(Number(attributes['foreword.reuse.tokens']) > 0)
  assert.deepEqual(used!.attributes, {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'read',
    'gen_ai.tool.call.id': `sha256:${sha256('call_a').slice(0, 16)}`,
    'gen_ai.tool.type': 'function',
    'foreword.call.id': calls[0]!.id,
    'foreword.turn.id': turn,
  })
})

const USAGE = { promptTokens: 1_000, cachedTokens: 0, cacheWrittenTokens: 0, outputTokens: 20 }

function pick(attributes: Readonly<Record<string, unknown>>, wanted: RegExp) {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => wanted.test(name)))
}

test('a failure has its code, and no word of what the provider or the tool said', async (t) => {
  const model = scriptedModel({
    answer: (_request, n) => (n === 1 ? { toolCalls: [{ name: 'breaks', input: {} }] } : { fail: 'auth' }),
  })
  const breaks = tool('breaks', async () => ({ ok: false, error: 'the canary has flown' }))
  const { here, collector } = await exporting(t, { model, tools: [breaks] })
  await here.say('Go.')
  await collector.received(4)
  const [own] = named(collector, 'invoke_agent foreword')
  const [used] = named(collector, 'execute_tool breaks')
  const failed = named(collector, 'chat scripted').at(-1)!
  assert.deepEqual(
    [own!, used!, failed].map(({ attributes, status }) => [attributes['error.type'], status]),
    [
      ['auth', { code: 2 }],
      ['tool_error', { code: 2 }],
      ['auth', { code: 2 }],
    ],
  )
  assert.doesNotMatch(collector.requests.map(({ body }) => body).join(''), /canary/)
})

test('a turn whose answer broke off has no cost, since nobody knows it; one that was refused cost nothing', async (t) => {
  const model = scriptedModel({
    facts: { price: PRICE },
    answer: (_request, n) => (n === 1 ? { text: 'Half', fail: 'server' } : { fail: 'auth' }),
  })
  const { here, collector } = await exporting(t, { model })
  await here.say('Go.')
  await here.say('Again.')
  await collector.received(4)
  const own = named(collector, 'invoke_agent foreword')
  assert.deepEqual(
    own.map(({ attributes }) => attributes['foreword.cost.usd']),
    [undefined, 0],
  )
})

test('a tool that was refused never ran: its span says so, and a name that the model made up is not sent', async (t) => {
  const toolCalls = ['the canary has flown', 'strict'].map((name, n) => ({ id: `canary_${n}`, name, input: {} }))
  const model = scriptedModel({ answer: (_request, n) => (n === 1 ? { toolCalls } : { text: 'Well.' }) })
  const inputSchema = { type: 'object', required: ['path'] }
  const strict = tool('strict', async () => ({ ok: true, output: 'never' }), { inputSchema })
  const { here, collector } = await exporting(t, { model, tools: [strict] })
  await here.say('Go.')
  await collector.received(5)
  for (const name of ['unknown', 'strict']) {
    const [span] = named(collector, `execute_tool ${name}`)
    assert.deepEqual([span?.attributes['gen_ai.tool.name'], span?.attributes['error.type']], [name, 'not_run'])
  }
  assert.doesNotMatch(collector.requests.map(({ body }) => body).join(''), /canary/)
})

test('what is said of a collector that answers with a long text is one short line', async (t) => {
  const { here, collector } = await exporting(t, {
    collector: { answer: (response) => refuse(response, 400, `no\u001b[2J\n${'x'.repeat(60_000)}`) },
  })
  await here.say('One.')
  await collector.asked(1)
  await here.runtime.close()
  const [warning = ''] = here.warnings
  assert.match(warning, /answers 400: no/)
  assert.ok(!warning.includes('\u001b') && !warning.includes('\n'), warning)
  assert.ok(warning.length < 1_000, String(warning.length))
})

test('the call that cuts the conversation says how much it hid', async (t) => {
  const model = scriptedModel({ facts: { window: 8_000 }, answer: () => ({ text: 'And so it went on. '.repeat(60) }) })
  const { here, collector } = await exporting(t, { model })
  let session: string | undefined
  for (let turn = 0; turn < 30; turn++) {
    session = (await here.say(`${turn}: ${'and then? '.repeat(60)}`, session ? { session } : {})).session
  }
  await collector.received(60)
  const cuts = named(collector, 'chat scripted').filter(({ attributes }) => 'foreword.cut' in attributes)
  assert.ok(cuts.length > 0)
  for (const { attributes } of cuts) {
    assert.equal(attributes['foreword.cut'], 'full')
    assert.ok(Number(attributes['foreword.cut.turns']) > 0)
    assert.ok(Number(attributes['foreword.cut.hidden_tokens']) > 0)
    assert.ok(Number(attributes['foreword.entries.omitted']) > 0)
  }
})

test('content is exported only where it is asked for, and then without the secrets that are known', async (t) => {
  const model = scriptedModel({
    answer: (_request, n) =>
      n % 2 === 1 ? { toolCalls: [{ name: 'echo', input: { word: 'canary-input' } }] } : { text: 'canary-answer' },
  })
  const echo = tool('echo', async () => ({ ok: true, output: 'canary-result of sk-secret-of-the-home' }))
  const secrets = { ...knownSecrets(), refresh: async () => {} }
  secrets.learn('KEY', 'sk-secret-of-the-home')
  const quiet = await exporting(t, { model, tools: [echo] })
  await quiet.here.say('canary-question', { system: 'canary-system' })
  await quiet.collector.received(4)
  assert.doesNotMatch(quiet.collector.requests.map(({ body }) => body).join(''), /canary-|sk-secret/)

  const loud = await exporting(t, { model, tools: [echo], secrets }, { content: true })
  await loud.here.say('canary-question sk-secret-of-the-home', { system: 'canary-system' })
  await loud.collector.received(4)
  const sent = loud.collector.requests.map(({ body }) => body).join('')
  assert.doesNotMatch(sent, /sk-secret/)
  const last = named(loud.collector, 'chat scripted').at(-1)!.attributes
  assert.match(String(last['gen_ai.system_instructions']), /canary-system/)
  assert.match(String(last['gen_ai.input.messages']), /canary-question \[KEY\].*canary-input.*canary-result/)
  assert.deepEqual(JSON.parse(String(last['gen_ai.output.messages'])), [
    { role: 'assistant', parts: [{ type: 'text', content: 'canary-answer' }], finish_reason: 'stop' },
  ])
  const [used] = named(loud.collector, 'execute_tool echo')
  assert.deepEqual(JSON.parse(String(used!.attributes['gen_ai.tool.call.arguments'])), { word: 'canary-input' })
  assert.match(String(used!.attributes['gen_ai.tool.call.result']), /canary-result of \[KEY\]/)
})

test('a secret that stands where a name should be is not exported', async (t) => {
  const model = scriptedModel({ id: 'mistral/sk-secret-of-the-home', answer: () => ({ text: 'ok' }) })
  const secrets = knownSecrets({ KEY: 'sk-secret-of-the-home' })
  const { here, collector } = await exporting(t, { model, secrets: { ...secrets, refresh: async () => {} } })
  await here.say('Hello.')
  await collector.received(2)
  assert.doesNotMatch(collector.requests.map(({ body }) => body).join(''), /sk-secret/)
  const [chat] = named(collector, 'chat [KEY]')
  assert.equal(chat!.attributes['gen_ai.request.model'], '[KEY]')
})

test('an older version of the conventions has its own names, and ours where it has none', async (t) => {
  const model = scriptedModel({ answer: () => ({ text: 'ok', usage: USAGE }) })
  const { here, collector } = await exporting(t, { model }, { conventions: '1.36', content: true })
  await here.say('canary')
  await collector.received(2)
  const { attributes } = named(collector, 'chat scripted')[0]!
  assert.equal(attributes['gen_ai.system'], 'scripted')
  assert.equal(attributes['foreword.usage.cache_read.input_tokens'], 0)
  const gone = ['gen_ai.provider.name', 'gen_ai.usage.cache_read.input_tokens', 'gen_ai.input.messages']
  assert.deepEqual(
    gone.filter((name) => name in attributes),
    [],
  )
  assert.doesNotMatch(collector.requests[0]!.body, /canary/)
  assert.match(collector.requests[0]!.body, /schemas\/1\.36\.0/)
})

test('a call outside every session is a span of its own', async (t) => {
  const { here, collector } = await exporting(t)
  await Array.fromAsync(here.runtime.complete({ messages: [{ role: 'user', content: 'canary' }] }))
  const [span] = await collector.received(1)
  assert.deepEqual([span!.name, span!.parentSpanId], ['chat scripted', undefined])
  assert.doesNotMatch(collector.requests[0]!.body, /canary/)
})

test('the trace of a request is the trace of its turn, and one that its caller does not record is not exported', async (t) => {
  const { here, collector } = await exporting(t)
  const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  await here.say('Not recorded.', { trace: `00-${'1'.repeat(32)}-00f067aa0ba902b7-00` })
  await here.say('Recorded.', { trace })
  const [own, chat] = await collector.received(2)
  assert.deepEqual([own!.traceId, own!.parentSpanId], [trace.slice(3, 35), trace.slice(36, 52)])
  assert.deepEqual([chat!.traceId, chat!.parentSpanId], [own!.traceId, own!.spanId])
})

test('a turn that was interrupted is exported once, as a whole, by the process that ends it', async (t) => {
  const called = Promise.withResolvers<void>()
  const model = scriptedModel({
    answer: async (_request, n, { signal }) => {
      if (n === 1) return { toolCalls: [{ name: 'look', input: {} }] }
      if (n > 2) return { text: 'Ended.' }
      called.resolve()
      return { text: 'never', before: () => new Promise((resolve) => signal.addEventListener('abort', resolve)) }
    },
  })
  const look = tool('look', async () => ({ ok: true, output: 'seen' }))
  const { here, collector } = await exporting(t, { model, tools: [look] })
  const submitted = await here.runtime.submit({ text: 'Go.' })
  await called.promise
  const again = await here.reopened()
  assert.deepEqual(collector.spans, [])
  assert.deepEqual((await again.ended(submitted)).outcome, { type: 'completed' })
  await collector.received(5)
  const third = await again.reopened()
  await third.say('Another.')
  await collector.received(7)
  const names = collector.spans.map(({ name }) => name)
  assert.equal(names.filter((name) => name === 'invoke_agent foreword').length, 2)
  assert.equal(names.filter((name) => name === 'execute_tool look').length, 1)
  assert.equal(new Set(collector.spans.map(({ spanId }) => spanId)).size, collector.spans.length)
})

test('a collector that is not there is warned of once, and no turn waits for it or fails', async (t) => {
  const { here, collector } = await exporting(t)
  await collector.close()
  for (const text of ['One.', 'Two.', 'Three.']) {
    assert.deepEqual((await here.say(text)).outcome, { type: 'completed' })
  }
  while (here.warnings.length === 0) await new Promise(setImmediate)
  await here.say('Four.')
  await here.runtime.close()
  assert.deepEqual(here.warnings.filter((text) => text.includes('collector')).length, 1)
  assert.match(here.warnings[0]!, /^Telemetry: the collector at http:\/\/127\.0\.0\.1:\d+\/v1\/traces does not answer/)
})

test('what a collector cannot take now is sent again, and what it refuses is not', async (t) => {
  const answers = [503, 400]
  const { here, collector } = await exporting(t, {
    sleep: async () => {},
    collector: {
      answer(response, n) {
        const status = answers[n - 1]
        return status === undefined ? accept(response) : refuse(response, status, 'no')
      },
    },
  })
  await here.say('One.')
  await collector.asked(2)
  assert.equal(collector.requests[0]!.body, collector.requests[1]!.body)
  await here.say('Two.')
  const spans = await collector.received(2)
  assert.equal(spans.length, 2)
  assert.equal(collector.requests.length, 3)
})

test('spans that a collector does not take are counted, with its reason', async (t) => {
  const partial = { partialSuccess: { rejectedSpans: '1', errorMessage: 'too old' } }
  const { here, collector } = await exporting(t, {
    collector: {
      answer(response) {
        response.writeHead(200).end(JSON.stringify(partial))
        return true
      },
    },
  })
  await here.say('One.')
  await collector.received(2)
  await here.runtime.close()
  assert.match(here.warnings.join(), /did not take 1 span: too old/)
})

test('a queue that nobody empties stays small: what comes on top of it is left out', async (t) => {
  const asked = Promise.withResolvers<void>()
  const collector = await scriptedCollector({
    answer: () => {
      asked.resolve()
      return new Promise<boolean>(() => {})
    },
  })
  t.after(() => collector.close())
  const source = { service: 's', version: '1', schemaUrl: '' }
  const exporter = createSpanExporter({
    collector: { url: collector.url, headers: {} },
    source,
    clock: { ...systemClock, sleep: async () => {} },
    redact: (text) => text,
    warn: () => {},
  })
  const span = (text: string): Span => ({
    traceId: '1'.repeat(32),
    spanId: '1'.repeat(16),
    name: 'chat x',
    kind: 'client',
    start: 0,
    end: 1,
    attributes: { text },
  })
  exporter.add(Array.from({ length: 3_000 }, () => span('short')))
  await asked.promise
  assert.deepEqual(exporter.counts(), { waiting: 2_048, exported: 0, lost: 952 })
  await exporter.close(1)
  assert.deepEqual(exporter.counts(), { waiting: 0, exported: 0, lost: 3_000 })
  exporter.add([span('late')])
  assert.deepEqual(exporter.counts(), { waiting: 0, exported: 0, lost: 3_001 })
})

test('an export that is too large is sent in parts', async (t) => {
  const { here, collector } = await exporting(t, {
    collector: {
      answer: (response, n) => (n === 1 ? refuse(response, 413) : accept(response)),
    },
  })
  await here.say('One.')
  await collector.received(2)
  assert.equal(collector.requests.length, 3)
})

test('what waits at the end is sent before the gateway stops', async (t) => {
  const { here, collector } = await exporting(t)
  await here.say('Last.')
  await here.runtime.close()
  assert.equal(collector.spans.length, 2)
})

test('headers come from a variable, and are in no warning', async (t) => {
  const collector = await scriptedCollector({
    answer: (response) => refuse(response, 401, 'Bearer s3cret-of-collector?'),
  })
  t.after(() => collector.close())
  const { here } = await (async () => {
    const configured = telemetrySettings.parse({ enabled: true })
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20s3cret-of-collector,x-team = one,broken',
    }
    return {
      here: await opened(t, {
        capabilities: [telemetry as AnyCapability],
        capabilitySettings: { telemetry: configured },
        environment,
      }),
    }
  })()
  await here.say('Hello.')
  await collector.asked(1)
  await here.runtime.close()
  const { path, headers } = collector.requests[0]!
  assert.deepEqual(
    [path, headers.authorization, headers['x-team']],
    ['/base/v1/traces', 'Bearer s3cret-of-collector', 'one'],
  )
  assert.match(here.warnings.join('\n'), /answers 401/)
  assert.doesNotMatch(here.warnings.join('\n'), /s3cret/)
})

test('nothing is exported unless it is switched on', async (t) => {
  const collector = await scriptedCollector()
  t.after(() => collector.close())
  const configured = telemetrySettings.parse({ endpoint: collector.url })
  const here = await opened(t, {
    capabilities: [telemetry as AnyCapability],
    capabilitySettings: { telemetry: configured },
  })
  await here.say('Hello.')
  await here.runtime.close()
  assert.equal(collector.requests.length, 0)
})
