import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { CallRecord } from '../src/session.ts'
import type { ScriptedAnswer, ScriptedRequest } from '../src/testing/scripted-provider-answer.ts'
import { realGateway, type RealGateway, type Turn } from './end-to-end/gateway.ts'

type Wire = ScriptedRequest['wire']

const failed = (status: number, message: string): ScriptedAnswer => ({ status, body: { error: { message } } })
const DOWN = failed(500, 'the engine has stopped')
const WINDOW = { window: 32_000, maxOutput: 1_000 }

/** A gateway whose model is `hasty/big`, with `anthropic/claude-x` and then `responses/small` in its place. Nothing is waited for. */
function fallbackGateway(
  t: TestContext,
  answers: Partial<Record<Wire, ScriptedAnswer | ((n: number) => ScriptedAnswer)>>,
  { models = {}, ...configuration }: Readonly<Record<string, object>> = {},
) {
  const counts = new Map<Wire, number>()
  const answer = ({ wire }: ScriptedRequest): ScriptedAnswer => {
    const count = (counts.get(wire) ?? 0) + 1
    counts.set(wire, count)
    const given = answers[wire] ?? { text: `From ${wire}.` }
    return typeof given === 'function' ? given(count) : given
  }
  return realGateway(
    t,
    { answer },
    {
      model: 'hasty/big',
      agent: { retryForMs: 0 },
      models: {
        'hasty/big': { ...WINDOW, fallback: ['anthropic/claude-x', 'responses/small'] },
        'anthropic/claude-x': { ...WINDOW, price: { input: 3, output: 15 } },
        'responses/small': WINDOW,
        ...models,
      },
      ...configuration,
    },
  )
}

type Warned = Turn & { readonly warnings: readonly { readonly code: string; readonly message: string }[] }
type Fallback = { readonly fallback?: { readonly wanted: string; readonly failed: unknown; readonly sentence: string } }

const wires = ({ provider }: RealGateway) => provider.requests.map(({ wire }) => wire)

function callsOf(gateway: RealGateway, { calls }: Turn): Promise<readonly (CallRecord & { manifest: Fallback })[]> {
  return Promise.all(calls.map((call) => gateway.call(call)))
}

test('another model answers where the provider of one fails, and the person reads which one and why', async (t) => {
  const here = await fallbackGateway(t, { 'openai-chat': DOWN })
  const turn = (await here.say('Hello')) as Warned
  assert.deepEqual([turn.outcome?.type, turn.text], ['completed', 'From anthropic.'])

  const [lost, made] = await callsOf(here, turn)
  assert.deepEqual([lost?.model, lost?.outcome?.error?.code], ['hasty/big', 'server'])
  assert.equal(made?.model, 'anthropic/claude-x')
  const { sentence } = made.manifest.fallback!
  assert.match(sentence, /^anthropic\/claude-x answers instead of hasty\/big\. hasty\/big has a server error/)
  assert.match(
    sentence,
    /said: the engine has stopped\. Everything that hasty\/big was sent fits\. Its window has 32,000/,
  )
  assert.match(sentence, /the prompt costs about \$0\.00\d+\.$/)
  assert.deepEqual(made.manifest.fallback, {
    wanted: 'hasty/big',
    failed: [{ model: 'hasty/big', code: 'server', call: lost?.id }],
    sentence,
  })
  assert.deepEqual(turn.warnings, [{ code: 'fallback', message: sentence }])

  const log = await here.curl<{ entries: readonly { type: string; model?: string }[] }>(
    `/api/sessions/${turn.session}/entries`,
  )
  assert.deepEqual(
    log.entries.map(({ type, model }) => (model === undefined ? type : `${type} ${model}`)),
    [
      'session-start',
      'input',
      'turn-start',
      'assembly hasty/big',
      'assembly anthropic/claude-x',
      'message',
      'usage anthropic/claude-x',
      'turn-end',
    ],
  )
  const replayed = await here.foreword('replay', turn.session)
  assert.match(replayed.stdout, /^2 of 2 identical\n2 of 2 bodies identical to what was sent/)
  const shown = await here.foreword('sessions', 'show', turn.session)
  assert.ok(shown.stdout.includes('anthropic/claude-x answers instead of hasty/big.'))
})

test('the terminal, JSON, the events and the clients of `/v1` and `useChat` name the model that answered', async (t) => {
  const here = await fallbackGateway(t, { 'openai-chat': DOWN })
  const sent = await here.foreword('send', 'Hello')
  assert.equal(sent.stdout, 'From anthropic.\n')
  assert.equal(sent.stderr.match(/anthropic\/claude-x answers instead of hasty\/big/g)?.length, 1)
  assert.doesNotMatch(sent.stderr, /Trying again/)

  const json = JSON.parse((await here.foreword('send', '--json', 'Hello')).stdout) as Warned
  assert.equal(json.warnings[0]?.code, 'fallback')

  const said = await here.openai.chat.completions.create({
    model: 'hasty/big',
    messages: [{ role: 'user', content: 'Hello' }],
  })
  assert.deepEqual([said.model, said.choices[0]?.message.content], ['anthropic/claude-x', 'From anthropic.'])
  const stream = await here.openai.chat.completions.create({
    model: 'hasty/big',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
  })
  const named = new Set<string>()
  for await (const { model } of stream) named.add(model)
  assert.deepEqual([...named], ['anthropic/claude-x'])
  const whole = await here.openai.responses.create({ model: 'hasty/big', input: 'Hello', store: false })
  assert.equal(whole.model, 'anthropic/claude-x')
  const { calls } = await here.curl<{ calls: readonly CallRecord[] }>('/api/calls?limit=1')
  const { manifest } = await here.call(calls[0]!.id)
  assert.equal((manifest as Fallback).fallback?.wanted, 'hasty/big')
})

test('those who watch a turn hear of the switch before the first word', async (t) => {
  const here = await fallbackGateway(t, { 'openai-chat': DOWN })
  const { session, turn } = await here.curl<Turn>('/api/messages', { text: 'Hello' })
  const answer = await fetch(`${here.url}/api/sessions/${session}/events?turn=${turn}`, {
    headers: { authorization: `Bearer ${here.token}` },
  })
  const events = [...(await answer.text()).matchAll(/^data: (.+)$/gm)].map(
    ([, data]) => JSON.parse(data!) as { type: string; model?: string; waitMs?: number; code?: string },
  )
  const at = events.findIndex(({ type }) => type === 'retry')
  // Where it was over before the reader came, the log has what was said.
  if (at === -1) return assert.equal(events.at(-1)?.type, 'entry')
  const { model, waitMs, code } = events[at]!
  assert.deepEqual({ model, waitMs, code }, { model: 'anthropic/claude-x', waitMs: 0, code: 'server' })
  assert.ok(events.slice(at).some(({ type }) => type === 'text-delta'))
})

for (const [what, answer, code] of [
  ['refuses the key', failed(401, 'no such key'), 'auth'],
  ['has no credit left', failed(402, 'pay first'), 'quota'],
  ['limits requests', failed(429, 'too many'), 'rate-limit'],
  ['is overloaded', failed(529, 'overloaded'), 'server'],
  ['does not have the model', failed(404, 'unknown'), 'model-not-found'],
  ['breaks the connection', { cutAfter: 0 }, 'network'],
  ['says nothing', { hangAfter: 0 }, 'timeout'],
  [
    'answers with a web page',
    { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } },
    'unexpected-answer',
  ],
] as const) {
  test(`another model answers where a provider ${what}`, async (t) => {
    const here = await fallbackGateway(t, { 'openai-chat': answer })
    const turn = await here.say('Hello')
    assert.equal(turn.text, 'From anthropic.')
    const [lost] = await callsOf(here, turn)
    assert.equal(lost?.outcome?.error?.code, code)
  })
}

for (const [what, answer, code] of [
  ['a request that is wrong by itself', failed(400, 'no such field'), 'bad-request'],
  ['a refusal of the content', failed(400, 'content_filter'), 'content-filter'],
] as const) {
  test(`no other model is asked about ${what}`, async (t) => {
    const here = await fallbackGateway(t, { 'openai-chat': answer })
    const { outcome } = await here.say('Hello')
    assert.deepEqual([outcome?.type, outcome?.code], ['failed', code])
    assert.deepEqual([...new Set(wires(here))], ['openai-chat'])
  })
}

test('no other model is asked once a word of the answer was shown: it is kept, and marked as not complete', async (t) => {
  const here = await fallbackGateway(t, { 'openai-chat': { text: 'one two three', cutAfter: 2 } })
  const turn = await here.say('Hello')
  assert.deepEqual([turn.outcome?.type, turn.outcome?.code, turn.calls.length], ['failed', 'network', 1])
  assert.match(turn.outcome?.message ?? '', /Say `go on` to continue it/)
  assert.ok('one two three'.startsWith(turn.text.trim()) && turn.text !== '')
})

test('a cancelled call is not made again elsewhere', async (t) => {
  const models = { 'responses/small': { ...WINDOW, fallback: ['anthropic/claude-x'] } }
  const here = await fallbackGateway(t, { 'openai-responses': { delayMs: 60_000 } }, { models })
  const { session, turn } = await here.curl<Turn>('/api/messages', { text: 'Hello', model: 'responses/small' })
  while (here.provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  await here.curl(`/api/sessions/${session}/turns/${turn}/cancel`, {})
  const ended = await here.curl<Turn>(`/api/sessions/${session}/turns/${turn}?wait=20000`)
  assert.equal(ended.outcome?.type, 'cancelled')
  assert.deepEqual(wires(here), ['openai-responses'])
})

test('each model of a chain is asked once, whatever the lists of the others say', async (t) => {
  const models = {
    'anthropic/claude-x': { ...WINDOW, fallback: ['hasty/big', 'ollama/scripted'] },
    'responses/small': { ...WINDOW, fallback: ['hasty/big'] },
  }
  const answers = { 'openai-chat': DOWN, anthropic: failed(401, 'no such key'), 'openai-responses': DOWN }
  const here = await fallbackGateway(t, answers, { models })
  const turn = await here.say('Hello')
  assert.deepEqual(
    (await callsOf(here, turn)).map(({ model }) => model),
    ['hasty/big', 'anthropic/claude-x', 'responses/small'],
  )
  assert.equal(turn.outcome?.type, 'failed')
  for (const name of ['hasty/big', 'anthropic/claude-x', 'responses/small']) {
    assert.ok(turn.outcome.message?.includes(`${name} `), name)
  }
  assert.match((await here.foreword('replay', turn.session)).stdout, /^3 of 3 identical/)
})

test('a provider that fails three times in a row is passed over, in the preview too, until one call may try it', async (t) => {
  const here = await fallbackGateway(t, { 'openai-chat': (n) => (n <= 3 ? DOWN : { text: 'Back.' }) })
  for (let turns = 0; turns < 3; turns += 1) await here.say('Hello')
  const before = here.provider.requests.length
  const passed = (await here.say('Hello')) as Warned
  assert.equal(passed.text, 'From anthropic.')
  assert.match(passed.warnings[0]!.message, /hasty\/big is not asked for \d+ s, since the last calls to hasty failed/)
  assert.deepEqual(wires(here).slice(before), ['anthropic'])
  assert.equal((await here.curl<{ model: string }>('/api/context?input=Hello')).model, 'anthropic/claude-x')
  await here.curl('/api/reload', {})
  assert.equal((await here.say('Hello')).text, 'Back.')
})

test('what does not fit into the smaller window is left out, and one that holds nothing of it is passed over', async (t) => {
  const models = {
    'hasty/big': { ...WINDOW, fallback: ['responses/tiny', 'anthropic/claude-x'] },
    'responses/tiny': { window: 1_200, maxOutput: 200 },
    'anthropic/claude-x': { window: 3_000, maxOutput: 500 },
  }
  const here = await fallbackGateway(t, { 'openai-chat': (n) => (n <= 4 ? { text: 'Noted.' } : DOWN) }, { models })
  const long = 'The tide comes in at the old harbour, and nobody is there to see it. '.repeat(20)
  let session: string | undefined
  for (let turns = 0; turns < 4; turns += 1) ({ session } = await here.say(long, session ? { session } : {}))
  const turn = await here.say(long.repeat(3), { session: session! })
  const made = (await callsOf(here, turn)).at(-1)!
  assert.deepEqual([turn.text, made.model], ['From anthropic.', 'anthropic/claude-x'])
  const { sentence } = made.manifest.fallback!
  assert.match(sentence, /parts? of what hasty\/big was sent, [\d,]+ tokens, are left out or shortened to fit\./)
  assert.match(sentence, /Its window has 3,000 tokens/)
  assert.ok(!wires(here).includes('openai-responses'))
})

test('a budget holds at the price of the fallback: its call waits for a person', async (t) => {
  const models = {
    'hasty/big': { ...WINDOW, price: { input: 0.1, output: 0.1 }, fallback: ['anthropic/claude-x'] },
    'anthropic/claude-x': { ...WINDOW, price: { input: 5_000, output: 5_000 } },
  }
  const here = await fallbackGateway(
    t,
    { 'openai-chat': DOWN },
    { models, budgets: [{ limit: { usd: 0.5 }, per: 'turn' }] },
  )
  const { session, turn } = await here.curl<Turn>('/api/messages', { text: 'Hello' })
  type Asked = {
    readonly approval: string
    readonly digest: string
    readonly request: { readonly input: { readonly model: string } }
  }
  let asked: Asked | undefined
  while (asked === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    asked = (await here.curl<{ approvals: readonly Asked[] }>('/api/approvals')).approvals[0]
  }
  assert.equal(asked.request.input.model, 'anthropic/claude-x')
  assert.deepEqual(wires(here), ['openai-chat'])
  await here.curl(`/api/approvals/${asked.approval}`, { decision: 'deny', digest: asked.digest })
  const ended = await here.curl<Turn>(`/api/sessions/${session}/turns/${turn}?wait=20000`)
  assert.equal(ended.outcome?.code, 'over-budget')
  assert.deepEqual(wires(here), ['openai-chat'])
})

test('the models in the place of another are set while the gateway runs, and taken away again', async (t) => {
  const here = await fallbackGateway(t, { 'openai-chat': DOWN }, { models: { 'hasty/big': WINDOW } })
  const put = async (fallback: readonly string[]) => {
    const answer = await fetch(`${here.url}/api/setup/fallback`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${here.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'hasty/big', fallback }),
    })
    return answer.status
  }
  const written = () => JSON.parse(readFileSync(join(here.home, 'config.json'), 'utf8')) as { models: object }
  assert.equal((await here.say('Hello')).outcome?.type, 'failed')
  assert.equal(await put(['responses/small']), 204)
  assert.deepEqual(written().models, {
    'hasty/big': { ...WINDOW, fallback: ['responses/small'] },
    'anthropic/claude-x': { ...WINDOW, price: { input: 3, output: 15 } },
    'responses/small': WINDOW,
  })
  const { models } = await here.curl<{ models: readonly { id: string; fallback?: readonly string[] }[] }>('/api/models')
  assert.deepEqual(models.find(({ fallback }) => fallback)?.fallback, ['responses/small'])
  assert.equal((await here.say('Hello')).text, 'From openai-responses.')
  assert.equal(await put([]), 204)
  assert.equal((await here.say('Hello')).outcome?.type, 'failed')
  assert.deepEqual([await put(['hasty/big']), await put(['nowhere/x']), await put(['a/b', 'a/b'])], [400, 404, 400])
})

test('`doctor` names a fallback that cannot be asked, one that its provider does not list, and a model that is its own', async (t) => {
  const models = { 'hasty/big': { fallback: ['nowhere/x', 'hasty/big', 'ollama/gone', 'ollama/gone'] } }
  const here = await fallbackGateway(t, {}, { models })
  const { stdout } = await here.foreword('doctor')
  for (const said of [
    /names the provider "nowhere", which does not exist/,
    /models\.hasty\/big\.fallback names the model itself/,
    /names ollama\/gone twice/,
    /ollama\/gone, a fallback of hasty\/big, is not listed by its provider/,
  ]) {
    assert.match(stdout, said)
  }
})
