import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { SessionFindings } from '../../src/capability.ts'
import type { Comparison, Manifest } from '../../src/context.ts'
import type { CallRecord } from '../../src/session.ts'
import { run } from '../cli/recorded-io.ts'
import { recordedCalls, send, startGateway, type TestGateway } from './gateway.ts'
import { startVendor } from './vendor.ts'

const PRICE = { price: { input: 1, cachedInput: 0.1, output: 10 } }

/** A vendor that keeps conversations: each answer has an id of its own, and says how much was read for it. */
async function openGateway(t: TestContext, configuration: object = {}) {
  let answers = 0
  const vendor = await startVendor(t, ({ url }, outgoing) => {
    answers += 1
    const usage = { input_tokens: answers * 1_000, output_tokens: 100 }
    const answer = url.includes('/messages')
      ? { id: `msg_${answers}`, type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Yes.' }], usage }
      : { id: `resp_${answers}`, object: 'response', status: 'completed', output: [], usage }
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify(answer))
  })
  const baseURL = `${vendor.url}/v1`
  const providers = { openai: { kind: 'openai', baseURL }, anthropic: { kind: 'anthropic', baseURL } }
  const models = { 'openai/kept': PRICE, 'anthropic/kept': PRICE }
  return { vendor, gateway: await startGateway(t, { providers, configuration: { models, ...configuration } }) }
}

type Said = Readonly<Record<string, unknown>>

function post({ url, token }: TestGateway, path: string, body: Said, headers: readonly string[] = []) {
  const own = ['x-foreword-token', token, 'authorization', 'Bearer own', 'user-agent', 'OpenAI/JS 6.1', ...headers]
  return send(`${url}/through/${path}`, { headers: own, body: JSON.stringify({ model: 'kept', ...body }) })
}

const respond = (gateway: TestGateway, body: Said) => post(gateway, 'openai/v1/responses', body)

const keptIn = ({ manifest }: CallRecord) => manifest.entries.find(({ layer }) => layer === 'kept-by-provider')

test('a call that names an answer goes on in the session of that answer, after a restart too, and its turns count on', async (t) => {
  const { gateway } = await openGateway(t)
  // A key of the cache is shared by conversations.
  const key = { prompt_cache_key: 'all-users', instructions: 'You help.' }
  await respond(gateway, { ...key, input: 'Name three rivers.' })
  await respond(gateway, { ...key, input: 'What is a good name for a boat?' })
  await respond(gateway, { ...key, input: 'Which is the longest?', previous_response_id: 'resp_1' })
  await recordedCalls(gateway)
  const again = await gateway.restart()
  const output = { type: 'function_call_output', call_id: 'c1', output: 'It is 1,230 km long.' }
  await respond(again, { ...key, input: [output], previous_response_id: 'resp_3' })
  await respond(again, { ...key, input: 'Another one.', previous_response_id: 'resp_2' })
  await respond(again, { ...key, input: 'And the shortest?', previous_response_id: 'resp_4' })
  const calls = await recordedCalls(again)
  const [rivers, boat] = [calls[0]!.session, calls[1]!.session]
  assert.notEqual(rivers, boat)
  assert.deepEqual(
    calls.map(({ session, turn }) => [session === rivers ? 'rivers' : session === boat ? 'boat' : 'other', turn]),
    [
      ['rivers', 'turn-1'],
      ['boat', 'turn-1'],
      ['rivers', 'turn-2'],
      ['rivers', 'turn-2'],
      ['boat', 'turn-2'],
      ['rivers', 'turn-3'],
    ],
  )
})

test('an answer of which nothing is on record begins a session, in which calls from the same answer meet', async (t) => {
  const { gateway } = await openGateway(t)
  await respond(gateway, { input: 'Go on.', previous_response_id: 'resp_elsewhere' })
  await respond(gateway, { input: 'Go on otherwise.', previous_response_id: 'resp_elsewhere' })
  const calls = await recordedCalls(gateway)
  assert.equal(new Set(calls.map(({ session }) => session)).size, 1)
  assert.ok(calls.every((call) => keptIn(call) === undefined))
})

test('what the provider keeps is an entry with its tokens and its price, and no cache counts as broken by it', async (t) => {
  const { gateway } = await openGateway(t)
  const head = { instructions: 'You help. '.repeat(50), tools: [{ type: 'function', name: 'look', parameters: {} }] }
  await respond(gateway, { ...head, input: 'Name three rivers. '.repeat(200) })
  await respond(gateway, { ...head, input: 'Which is the longest?', previous_response_id: 'resp_1' })
  await respond(gateway, { ...head, input: 'And the shortest?', previous_response_id: 'resp_2' })
  const [first, second, third] = (await recordedCalls(gateway)) as [CallRecord, CallRecord, CallRecord]
  // The first call read 1,000 tokens, but for those that are said again, and was answered with 100.
  const saidAgain = first.manifest.slots.tools + first.manifest.slots.system
  assert.deepEqual([keptIn(second)?.tokens, keptIn(third)?.tokens], [1_100 - saidAgain, 2_100 - saidAgain])
  assert.equal(
    second.manifest.entries.reduce((sum, { tokens }) => sum + tokens, 0),
    second.manifest.used,
  )
  const json = async <Answer>(path: string) => {
    const answer = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${gateway.token}` } })
    return (await answer.json()) as Answer
  }
  const { manifest } = await json<{ readonly manifest: Manifest }>(`/api/calls/${second.id}/parts`)
  assert.deepEqual(
    manifest.entries.map(({ layer, tokens }) => [layer, tokens]),
    second.manifest.entries.map(({ layer, tokens }) => [layer, tokens]),
  )
  const shown = await run(['calls', first.session!, second.id], { environment: { FOREWORD_HOME: gateway.home } })
  assert.match(shown.stdout, /\nkept by provider +1,684 +\$0\.\d+\n {2}resp_1 /)
  assert.match(shown.stdout, /tokens as in the call before\. The conversation goes on from what the provider keeps/)
  const { findings } = await json<SessionFindings>(`/api/sessions/${first.session}/findings`)
  assert.deepEqual(
    findings.filter(({ code }) => code === 'broken-cache'),
    [],
  )
  const { why } = await json<Comparison>(`/api/diff?before=${first.id}&after=${second.id}`)
  assert.match(why!, /goes on from what the provider keeps \(resp_1\)/)
  assert.ok(second.manifest.used > 1_000)
  const { forecast } = third.manifest as Manifest & { readonly forecast: { readonly between: readonly number[] } }
  assert.ok(forecast.between[0]! > 1_000, String(forecast.between))
})

test('a thread of Anthropic is one session by the ids of its answers', async (t) => {
  const { gateway } = await openGateway(t)
  const say = (text: string, thread: object) =>
    post(gateway, 'anthropic/v1/messages', {
      max_tokens: 100,
      system: 'You help.',
      messages: [{ role: 'user', content: text }],
      thread,
    })
  await say('Name three rivers.', { type: 'create' })
  await say('What is a good name for a boat?', { type: 'create' })
  await say('Which is the longest?', { type: 'continue', previous_message_id: 'msg_1' })
  const calls = await recordedCalls(gateway)
  assert.deepEqual(
    calls.map(({ session, turn }) => [session === calls[0]!.session, turn]),
    [
      [true, 'turn-1'],
      [false, 'turn-1'],
      [true, 'turn-2'],
    ],
  )
  assert.equal(keptIn(calls[2]!)?.tokens, 1_100 - calls[0]!.manifest.slots.system)
  assert.equal((calls[2]!.input as { foreign: { format: string } }).foreign.format, 'messages')
})

test('a conversation that the provider keeps by its id is one session, and what it has is an entry of the next call', async (t) => {
  const { gateway } = await openGateway(t)
  await respond(gateway, { input: 'Name three rivers.', conversation: 'conv_1' })
  await respond(gateway, { input: 'Which is the longest?', conversation: { id: 'conv_1' } })
  await respond(gateway, { input: 'Hello.', conversation: 'conv_2' })
  const calls = await recordedCalls(gateway)
  assert.deepEqual(
    calls.map((call) => [call.session === calls[0]!.session, call.turn, keptIn(call)?.tokens]),
    [
      [true, 'turn-1', undefined],
      [true, 'turn-2', 1_100],
      [false, 'turn-1', undefined],
    ],
  )
})

test('a budget knows what the call before has cost, however soon the next one comes', async (t) => {
  // The first two cost $0.002 and $0.003; expected is a tenth of a thousandth for each.
  const budgets = [{ limit: { usd: 0.0045 }, per: 'day' }]
  const { gateway } = await openGateway(t, { budgets, through: { overBudget: 'refuse' } })
  const answers: number[] = []
  for (let call = 1; call <= 4; call++) {
    answers.push((await respond(gateway, { max_output_tokens: 10, input: `Name river ${call}.` })).status)
  }
  assert.deepEqual(answers, [200, 200, 400, 400])
})

test('a budget knows what the provider keeps before the call leaves', async (t) => {
  // The first call costs $0.002. What is kept of it costs $0.0011 more, and a call without that next to nothing.
  const budgets = [{ limit: { usd: 0.0026 }, per: 'day' }]
  const { gateway, vendor } = await openGateway(t, { budgets, through: { overBudget: 'refuse' } })
  const small = { max_output_tokens: 10 }
  assert.equal((await respond(gateway, { ...small, input: 'Name three rivers.' })).status, 200)
  const { status, body } = await respond(gateway, { ...small, input: 'Which?', previous_response_id: 'resp_1' })
  assert.equal(status, 400, body.toString())
  assert.equal((await respond(gateway, { ...small, input: 'Which?' })).status, 200)
  assert.equal(vendor.received.length, 2)
  assert.deepEqual(
    (await recordedCalls(gateway)).map(({ outcome }) => outcome?.error?.code),
    [undefined, 'over-budget', undefined],
  )
})
