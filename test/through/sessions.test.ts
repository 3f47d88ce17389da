import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { exportSession } from '../../src/session.ts'
import { run } from '../cli/recorded-io.ts'
import { type ExportedSpan, scriptedCollector } from '../runtime/scripted-collector.ts'
import { recordedCalls, send, startGateway, type TestGateway } from './gateway.ts'
import { answerMessages, startVendor, type Vendor } from './vendor.ts'
import { costsOf } from '../costs-of.ts'

async function openGateway(t: TestContext, answer: Vendor['answer'] = answerMessages()) {
  const vendor = await startVendor(t, answer)
  const providers = {
    anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` },
    openai: { kind: 'openai', baseURL: `${vendor.url}/v1` },
  }
  return { vendor, gateway: await startGateway(t, { providers }) }
}

const user = (text: string) => ({ role: 'user', content: text })
const assistant = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] })

interface Said {
  readonly headers?: readonly string[]
  readonly messages: readonly object[]
  readonly more?: object
}

function say(gateway: TestGateway, { headers = [], messages, more = {} }: Said) {
  return send(`${gateway.url}/through/anthropic/v1/messages`, {
    headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own', ...headers],
    body: JSON.stringify({
      model: 'claude-opus-5-5',
      system: 'You help.',
      stream: true,
      max_tokens: 100,
      ...more,
      messages,
    }),
  })
}

const claude = (session: string) => [
  'user-agent',
  'claude-cli/2.1.330 (external, cli)',
  'x-claude-code-session-id',
  session,
]

test('calls of one client session are one session here, by turn, and each is compared with the one before', async (t) => {
  const { gateway } = await openGateway(t)
  const first = [user('Fix the gate.')]
  await say(gateway, { headers: claude('one'), messages: first })
  await say(gateway, { headers: claude('two'), messages: [user('Something else.')] })
  await say(gateway, { headers: claude('one'), messages: [...first, assistant('Done.'), user('And the fence?')] })
  await recordedCalls(gateway)
  const sessions = await gateway.runtime.store.sessions()
  assert.deepEqual(
    sessions.map(({ title = '' }) => title).toSorted((one, other) => (one < other ? -1 : 1)),
    ['Fix the gate', 'Something else'],
  )
  const one = sessions.find(({ title }) => title === 'Fix the gate')!
  const calls = await gateway.runtime.store.calls(one.id)
  assert.equal(calls.length, 2)
  assert.notEqual(calls[0]!.turn, calls[1]!.turn)
  const { manifest } = calls[1]! as unknown as {
    manifest: { reuse: { tokens: number; firstChange: { cause: string } } }
  }
  assert.equal(manifest.reuse.firstChange.cause, 'grew')
  assert.equal(manifest.reuse.tokens, calls[0]!.manifest.used)
  const { why } = await gateway.runtime.diff(calls[0]!.id, calls[1]!.id)
  assert.match(why ?? '', /conversation went on/)
})

test('calls that count tokens are compared with none, since each counts something else', async (t) => {
  const { gateway } = await openGateway(t, (_, outgoing) => void outgoing.end('{"input_tokens":5}'))
  for (const text of ['Fix the gate.', 'Another part.']) {
    await send(`${gateway.url}/through/anthropic/v1/messages/count_tokens?beta=true`, {
      headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own', ...claude('one')],
      body: JSON.stringify({ model: 'claude-opus-5-5', messages: [user(text)] }),
    })
  }
  const calls = await recordedCalls(gateway)
  assert.deepEqual(
    calls.map(({ foreign, manifest }) => [foreign?.kind, 'reuse' in manifest]),
    [
      ['count', false],
      ['count', false],
    ],
  )
  assert.equal(new Set(calls.map(({ session }) => session)).size, 1)
})

test('counts and refusals cost nothing, leave the sum of a session whole, and have one line in the list', async (t) => {
  const { gateway } = await openGateway(t, (request, outgoing) => {
    if (request.url.includes('count_tokens')) return void outgoing.end('{"input_tokens":5}')
    if (!request.body.includes('Refuse')) return answerMessages()(request, outgoing)
    outgoing.writeHead(401, { 'content-type': 'application/json' })
    outgoing.end('{"type":"error","error":{"type":"authentication_error","message":"No such key."}}')
  })
  const count = (text: string) =>
    send(`${gateway.url}/through/anthropic/v1/messages/count_tokens`, {
      headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own', ...claude('one')],
      body: JSON.stringify({ model: 'claude-opus-5-5', messages: [user(text)] }),
    })
  await say(gateway, { headers: claude('one'), messages: [user('Fix the gate.')] })
  await count('Fix the gate.')
  await count('Fix the gate, and paint it.')
  await say(gateway, { headers: claude('one'), messages: [user('Refuse this.')] })
  const calls = await recordedCalls(gateway)
  const session = calls[0]!.session!
  const cost = (await costsOf(gateway.runtime).sessionCosts([session])).get(session)
  assert.deepEqual([cost?.calls, cost?.unpriced], [4, 0])
  const environment = { FOREWORD_HOME: gateway.home }
  const { stdout } = await run(['calls', session], { environment })
  assert.match(stdout, new RegExp(`\n {2}2 counts of tokens and 1 refused call, the last ${calls[3]!.id}: 401`))
  assert.equal(stdout.match(/^call_/gm)?.length, 1, stdout)
  const last = await run(['calls', session, 'last'], { environment })
  assert.match(last.stdout, /^claude-code 2\.1\.330, turn, .*\n12 tokens read/)
  const sessions = await run(['sessions'], { environment })
  assert.doesNotMatch(sessions.stdout, /\$[\d.]+\+/)
})

test('a list of calls has their costs without asking a provider for its models', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  await say(gateway, { headers: claude('one'), messages: [user('Fix the gate.')] })
  const [call] = await recordedCalls(gateway)
  const list = async () => {
    const path = `${gateway.url}/api/sessions/${call!.session}/calls`
    const answer = await fetch(path, { headers: { authorization: `Bearer ${gateway.token}` } })
    return ((await answer.json()) as { readonly calls: readonly { readonly cost?: number }[] }).calls
  }
  await list()
  const before = vendor.received.length
  assert.ok((await list()).every(({ cost }) => cost !== undefined && cost > 0))
  assert.equal(vendor.received.length, before)
})

test('a program that sends no ids is joined by what its prompts begin with, after a restart, too', async (t) => {
  const { gateway } = await openGateway(t)
  const headers = ['user-agent', 'plain-script/1.0']
  const first = [user('Name three rivers, and tell me where each of them begins.')]
  await say(gateway, { headers, messages: first })
  await say(gateway, { headers, messages: [user('What is a good name for a boat?')] })
  await recordedCalls(gateway)
  const again = await gateway.restart()
  await say(again, { headers, messages: [...first, assistant('Rhine, Elbe, Po.'), user('Which is the longest?')] })
  await recordedCalls(again)
  const sessions = await again.runtime.store.sessions()
  const counts = await Promise.all(
    sessions.map(async ({ id, title = '' }) => [title, (await again.runtime.store.calls(id)).length] as const),
  )
  assert.deepEqual(Object.fromEntries(counts), {
    'Name three rivers, and tell me where each of them begins': 2,
    'What is a good name for a boat?': 1,
  })
})

test('a call that is sent again after a failure is marked as a retry', async (t) => {
  let calls = 0
  const { gateway } = await openGateway(t, (request, outgoing) => {
    calls += 1
    if (calls > 1) return answerMessages()(request, outgoing)
    outgoing.writeHead(529, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }))
  })
  for (let each = 0; each < 2; each += 1) await say(gateway, { headers: claude('one'), messages: [user('Hello.')] })
  const [first, second] = await recordedCalls(gateway)
  assert.equal(first?.foreign?.retryOf, undefined)
  assert.equal(first?.outcome?.error?.code !== undefined, true)
  assert.equal(second?.foreign?.retryOf, first?.id)
})

test('nothing can be said in a session of another program', async (t) => {
  const { gateway } = await openGateway(t)
  await say(gateway, { headers: claude('one'), messages: [user('Hello.')] })
  const [call] = await recordedCalls(gateway)
  const session = call!.session!
  const message = /This session belongs to claude-code/
  await assert.rejects(gateway.runtime.submit({ session, text: 'Me, too.' }), message)
  await assert.rejects(gateway.runtime.preview({ session }), message)
  assert.equal((await gateway.runtime.status()).recovered, 0)
  assert.equal((await gateway.restart()).runtime.store !== undefined, true)
})

test('a program with the name of a channel does not get into its conversations', async (t) => {
  const { gateway } = await openGateway(t)
  await say(gateway, { headers: ['user-agent', 'telegram/1.0', 'x-session-id', '12345'], messages: [user('Hello.')] })
  await recordedCalls(gateway)
  assert.equal(await gateway.runtime.store.bound({ channel: 'telegram', conversation: '12345' }), undefined)
})

test('two programs at once are two sessions', async (t) => {
  const { gateway } = await openGateway(t)
  await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      say(gateway, { headers: claude(at % 2 === 0 ? 'even' : 'odd'), messages: [user(`Hello from ${at % 2}.`)] }),
    ),
  )
  const calls = await recordedCalls(gateway)
  assert.equal(calls.length, 8)
  assert.equal(new Set(calls.map(({ session }) => session)).size, 2)
})

test('calls that are of no conversation are one session of their program a day, and every body of it is proven', async (t) => {
  const { gateway } = await openGateway(t)
  const call = (path: string, method: string, body?: string) =>
    send(`${gateway.url}/through/openai/v1${path}`, {
      headers: ['x-foreword-token', gateway.token, 'authorization', 'Bearer own', 'user-agent', 'indexer/1'],
      method,
      ...(body === undefined ? {} : { body }),
    })
  await call('/models', 'GET')
  await call('/images/generations', 'POST', '{"model":"gpt-image-2","prompt":"One."}')
  await call('/responses', 'POST', '{"model":')
  await call('/embeddings', 'POST', '{"model":"text-embedding-3-small","input":"One."}')
  await call('/responses', 'POST', '{"model":"gpt-5.5","input":"A conversation."}')
  const calls = await recordedCalls(gateway)
  const [session, ...others] = calls.map((each) => each.session!)
  assert.deepEqual(
    others.map((each) => each === session),
    [true, true, true, false],
  )
  const row = await gateway.runtime.store.session(session!)
  assert.match(row?.title ?? '', /^Other calls of \d{4}-\d{2}-\d{2}$/)
  const again = await gateway.runtime.replay(session!)
  assert.deepEqual([again.calls, again.identical, again.wires?.identical], [4, 4, 4])
  for (const { id } of calls.slice(0, 3)) {
    await assert.rejects(gateway.runtime.request(id), /has no format that Foreword knows/)
  }
  const shown = await run(['calls', session!, calls[1]!.id], { environment: { FOREWORD_HOME: gateway.home } })
  assert.equal(
    shown.stdout,
    'indexer 1, other, openai/gpt-image-2\n' +
      'POST /v1/images/generations was answered 200. It has no parts: its path or its body has no format that Foreword knows.\n',
  )
})

test('what a session said goes with it, and what others said stays', async (t) => {
  const { gateway } = await openGateway(t)
  const { store } = gateway.runtime
  const tools = [{ name: 'look', description: 'Looks at something. '.repeat(80), input_schema: { type: 'object' } }]
  const secretWords = 'The garden gate opens with seven turns. '.repeat(40)
  await say(gateway, { headers: claude('one'), messages: [user(secretWords)], more: { tools } })
  await say(gateway, { headers: claude('two'), messages: [user('Something else.')], more: { tools } })
  const [one, two] = await recordedCalls(gateway)
  assert.equal(await gateway.runtime.deleteSession(one!.session!), true)
  assert.equal(await store.call(one!.id), undefined)
  const replay = await gateway.runtime.replay(two!.session!)
  assert.deepEqual([replay.calls, replay.identical, replay.wires?.identical], [1, 1, 1])
})

test('a session of another program is exported without its bodies, and can be imported', async (t) => {
  const { gateway } = await openGateway(t)
  const { store } = gateway.runtime
  const body = { metadata: { user_id: 'device_0123456789' } }
  await say(gateway, { headers: claude('one'), messages: [user('Hello.')], more: body })
  const [call] = await recordedCalls(gateway)
  const lines: string[] = []
  for await (const line of exportSession(store, call!.session!)) lines.push(line)
  assert.doesNotMatch(lines.join('\n'), /device_0123456789/)
  const imported = await gateway.runtime.importSession(
    (async function* () {
      yield* lines
    })(),
    { as: 'session_copy' },
  )
  const [copy] = await store.calls(imported)
  assert.equal(copy?.manifest.used, call!.manifest.used)
})

test('turns of sessions whose program names none are told apart in costs', async (t) => {
  const { gateway } = await openGateway(t)
  const headers = ['user-agent', 'plain-script/1.0']
  const first = [user('Name three rivers, and tell me where each of them begins.')]
  await say(gateway, { headers, messages: first })
  await say(gateway, { headers, messages: [user('What is a good name for a boat?')] })
  await say(gateway, { headers, messages: [...first, assistant('Rhine, Elbe, Po.'), user('Which is the longest?')] })
  const calls = await recordedCalls(gateway)
  const { rows } = await costsOf(gateway.runtime).costs({ by: 'turn' })
  assert.deepEqual(
    new Map(rows.map(({ key, calls: count }) => [key, count])),
    new Map(calls.map(({ session, turn }) => [`${session}/${turn}`, 1])),
  )
  assert.equal(new Set(calls.map(({ session }) => session)).size, 2)
})

test('a call has its cost in the list of its session, also where no provider lists its model', async (t) => {
  const vendor = await startVendor(t, answerMessages('Hello.', { input: 1_000, output: 100 }))
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } },
    configuration: { models: { 'anthropic/of-others': { price: { input: 2, output: 10 } } } },
  })
  assert.ok(!(await gateway.runtime.models()).some(({ id }) => id === 'anthropic/of-others'))
  await say(gateway, { messages: [user('Hello.')], more: { model: 'of-others' } })
  const [call] = await recordedCalls(gateway)
  const answer = await fetch(`${gateway.url}/api/sessions/${call!.session}/calls`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  })
  const { calls } = (await answer.json()) as { readonly calls: readonly { readonly cost?: number }[] }
  assert.deepEqual(
    calls.map(({ cost }) => cost),
    [0.003],
  )
})

test('a call to a model is a span of what is known of it, and what goes to another path is none', async (t) => {
  const vendor = await startVendor(t, answerMessages())
  const collector = await scriptedCollector()
  t.after(() => collector.close())
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } },
    configuration: { telemetry: { enabled: true, endpoint: collector.url } },
  })
  const headers = ['x-foreword-token', gateway.token, 'x-api-key', 'own']
  await send(`${gateway.url}/through/anthropic/v1/models`, { headers, method: 'GET' })
  await say(gateway, { messages: [user('Hello.')] })
  const trace = '0af7651916cd43dd8448eb211c80319c'
  for (const flags of ['01', '00']) {
    await send(`${gateway.url}/through/anthropic/v1/messages`, {
      headers: [...headers, 'traceparent', `00-${trace}-b7ad6b7169203331-${flags}`, 'user-agent', 'claude-cli/2.1.0'],
      body: JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 5, messages: [user('Hello again.')] }),
    })
  }
  await recordedCalls(gateway)
  await gateway.close()
  const [[traced], [own, ...others]] = [true, false].map((is) =>
    collector.spans.filter(({ traceId }) => (traceId === trace) === is),
  ) as [ExportedSpan[], ExportedSpan[]]
  assert.deepEqual([traced?.parentSpanId, others], ['b7ad6b7169203331', []])
  assert.equal(traced?.attributes['foreword.program'], 'claude-code')
  assert.equal(own?.name, 'chat claude-opus-5-5')
  const { attributes } = own
  assert.equal(attributes['gen_ai.usage.input_tokens'], 12)
  assert.equal(typeof attributes['foreword.tokens.used'], 'number')
  assert.equal(attributes['foreword.tokens.available'], 1_000_000)
  assert.ok(!('gen_ai.request.stream' in attributes))
})

test('no word that a program or its provider puts in the place of a name is exported', async (t) => {
  const canary = 'the canary has flown '
  const answers = [
    ...[canary.repeat(50), 'end_turn'].map((reason) => [
      200,
      {
        model: canary,
        id: canary,
        stop_reason: reason,
        content: [{ type: 'text', text: canary }],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    ]),
    [529, { type: 'error', error: { type: canary, message: canary } }],
    [200, { type: 'error', error: { type: canary, message: canary } }],
  ] as const
  let asked = 0
  const vendor = await startVendor(t, ({ method }, outgoing) => {
    const [status, answer] = method === 'POST' ? answers[asked++]! : [404, {}]
    outgoing.writeHead(status as number, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  const collector = await scriptedCollector()
  t.after(() => collector.close())
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } },
    configuration: { telemetry: { enabled: true, endpoint: collector.url } },
  })
  const names = { 'user-agent': 'canary(flown) canary', 'x-claude-code-session-id': canary, session_id: canary }
  for (const _ of answers) {
    await send(`${gateway.url}/through/anthropic/v1/messages`, {
      headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own', ...Object.entries(names).flat()],
      body: JSON.stringify({
        model: canary,
        metadata: { user_id: canary },
        messages: [user(canary)],
        tools: [{ name: canary, input_schema: {} }],
      }),
    })
  }
  await recordedCalls(gateway)
  await gateway.close()
  assert.equal(collector.spans.length, answers.length)
  const values = collector.spans.map(({ attributes }) => [
    attributes['gen_ai.response.finish_reasons'],
    attributes['error.type'],
  ])
  assert.deepEqual(new Set(values.map(String)), new Set(['other,', 'end_turn,', ',529', ',_OTHER']))
  for (const { name, attributes } of collector.spans) {
    assert.match(name, /^chat sha256:[0-9a-f]{16}$/)
    assert.doesNotMatch(JSON.stringify(attributes), /canary/)
  }
})

test('costs are divided by program, token, model, layer and tool', async (t) => {
  const { gateway } = await openGateway(t)
  const tools = [{ name: 'look', description: 'Looks at something.', input_schema: { type: 'object' } }]
  const messages = [
    user('Look.'),
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'A gate, a fence and a field. '.repeat(20) }],
    },
  ]
  await say(gateway, { headers: claude('one'), messages, more: { tools } })
  await recordedCalls(gateway)
  for (const [by, key] of [
    ['channel', 'claude-code'],
    ['model', 'anthropic/claude-opus-5-5'],
    ['layer', 'tool-result'],
    ['tool', 'look'],
  ] as const) {
    const { rows, total } = await costsOf(gateway.runtime).costs({ by })
    assert.equal(total.unpriced, 0, by)
    assert.ok((rows.find((row) => row.key === key)?.nanoDollars ?? 0) > 0, `${by}: ${JSON.stringify(rows)}`)
    assert.equal(
      rows.reduce((sum, row) => sum + row.nanoDollars, 0),
      total.nanoDollars,
    )
  }
})
