import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { NOTE_LEAD } from '../../src/foreign/cut/cut-plan.ts'
import { sha256 } from '../../src/platform.ts'
import type { CallRecord } from '../../src/session.ts'
import { run } from '../cli/recorded-io.ts'
import { recordedCalls, send, startGateway, type TestGateway } from './gateway.ts'
import { answerMessages, startVendor, type Vendor } from './vendor.ts'

const models = {
  'anthropic/claude-opus-5-5': { window: 4000, maxOutput: 1000 },
  'openai/gpt-5.5': { window: 4000, maxOutput: 1000 },
}

async function openGateway(t: TestContext, through: object = {}, answer: Vendor['answer'] = answerMessages()) {
  const vendor = await startVendor(t, answer)
  const providers = {
    anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` },
    openai: { kind: 'openai', baseURL: `${vendor.url}/v1` },
  }
  return { vendor, gateway: await startGateway(t, { providers, through, configuration: { models } }) }
}

/** So many rounds of a tool after the words of a person. */
function rounds(count: number): readonly object[] {
  return [
    { role: 'user', content: 'Mend the gate.' },
    ...Array.from({ length: count }, (_, at) => [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Where is it?', signature: `c2ln${at}` },
          { type: 'tool_use', id: `toolu_${at}`, name: 'Read', input: { file_path: `src/gate-${at}.ts` } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: `toolu_${at}`, content: `${at}: the hinge is here. `.repeat(40) },
        ],
      },
    ]).flat(),
  ]
}

const session = (id: string) => ['user-agent', 'claude-cli/2.1.330 (external, cli)', 'x-claude-code-session-id', id]

interface Said {
  readonly messages: readonly object[]
  readonly headers?: readonly string[]
  readonly path?: string
}

const bodyOf = (messages: readonly object[]) =>
  JSON.stringify({ model: 'claude-opus-5-5', system: 'You help.', stream: true, max_tokens: 100, messages })

function say(gateway: TestGateway, { messages, headers = session('one'), path = '/assemble/anthropic' }: Said) {
  return send(`${gateway.url}${path}/v1/messages`, {
    headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own', ...headers],
    body: bodyOf(messages),
  })
}

async function newToken(gateway: TestGateway, name: string): Promise<string> {
  const answer = await fetch(`${gateway.url}/api/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, scope: 'talk' }),
  })
  return ((await answer.json()) as { readonly token: string }).token
}

const messagesIn = ({ body }: { readonly body: Buffer }) =>
  (JSON.parse(body.toString()) as { readonly messages: readonly object[] }).messages

const foreignOf = ({ input }: CallRecord) =>
  (input as { readonly foreign: { readonly body: { sha256: string }; readonly caller?: { sha256: string } } }).foreign

test('a conversation that fits leaves with its own bytes, and one that does not is cut, with a note and the account of it', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  await say(gateway, { messages: rounds(3) })
  await say(gateway, { messages: rounds(30) })
  const [small, large] = vendor.received
  assert.equal(small!.body.toString(), bodyOf(rounds(3)))
  const sent = messagesIn(large!)
  assert.ok(sent.length < 61)
  assert.ok(JSON.stringify(sent).includes(NOTE_LEAD))
  assert.deepEqual(sent[0], rounds(30)[0])
  assert.deepEqual(sent.slice(-2), rounds(30).slice(-2))
  const [first, second] = await recordedCalls(gateway)
  assert.deepEqual(first!.foreign?.assembled, { state: 'fits' })
  assert.deepEqual(second!.foreign?.assembled, { state: 'cut' })
  const { manifest } = second!
  assert.ok(manifest.used <= manifest.budget.available, `${manifest.used} of ${manifest.budget.available}`)
  assert.ok(manifest.entries.some(({ layer, outcome }) => layer === 'note' && outcome === 'included'))
  assert.ok(manifest.entries.some(({ outcome, fullTokens }) => outcome === 'omitted' && fullTokens > 0))
  const { cutRecord } = manifest as typeof manifest & { readonly cutRecord?: { turns: number; hidden: number } }
  assert.ok(cutRecord && cutRecord.turns > 0 && cutRecord.hidden > 0)
  assert.equal(second!.outcome?.wire?.sha256, sha256(large!.body))
  assert.equal(foreignOf(second!).body.sha256, sha256(large!.body))
  assert.equal(foreignOf(second!).caller?.sha256, sha256(bodyOf(rounds(30))))
  const replay = await gateway.runtime.replay(second!.session ?? '')
  assert.deepEqual([replay.calls, replay.identical, replay.wires?.identical], [2, 2, 2])
})

test('between two cuts each call begins with what the last one sent, after a restart, too', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  await say(gateway, { messages: rounds(30) })
  await say(gateway, { messages: rounds(31) })
  await recordedCalls(gateway)
  const again = await gateway.restart()
  await say(again, { messages: rounds(32) })
  const [one, two, three] = vendor.received.map((each) => messagesIn(each).map((item) => JSON.stringify(item)))
  assert.deepEqual(two!.slice(0, one!.length), one)
  assert.deepEqual(three!.slice(0, two!.length), two)
  const calls = await recordedCalls(again)
  assert.deepEqual(
    calls.map(({ manifest }) => 'cutRecord' in manifest),
    [true, false, false],
  )
})

test('a program without ids keeps its cut and its session over a restart, and another conversation of it does not take them', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  const headers = ['user-agent', 'pi/0.87.1']
  await say(gateway, { headers, messages: rounds(30) })
  await recordedCalls(gateway)
  const again = await gateway.restart()
  const other = JSON.stringify(rounds(30)).replaceAll('gate', 'door').replaceAll('hinge', 'handle')
  await say(again, { headers, messages: JSON.parse(other) as readonly object[] })
  await say(again, { headers, messages: rounds(31) })
  const [one, , three] = vendor.received.map((each) => messagesIn(each).map((item) => JSON.stringify(item)))
  assert.deepEqual(three!.slice(0, one!.length), one)
  const calls = await recordedCalls(again)
  assert.deepEqual(
    calls.map(({ manifest }) => 'cutRecord' in manifest),
    [true, true, false],
  )
  assert.equal(calls[2]!.session, calls[0]!.session)
  assert.notEqual(calls[1]!.session, calls[0]!.session)
})

test('a program that has edited what was cut is recognised: the cuts before are forgotten, and the record says so', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  await say(gateway, { messages: rounds(30) })
  const compacted = [
    { role: 'user', content: 'Summary: the gate hangs.' },
    { role: 'assistant', content: 'Good.' },
  ]
  const next = [...compacted, { role: 'user', content: 'And the fence?' }]
  await say(gateway, { messages: next })
  await say(gateway, {
    messages: [...next, { role: 'assistant', content: 'Whole.' }, { role: 'user', content: 'So?' }],
  })
  const calls = await recordedCalls(gateway)
  assert.deepEqual(
    calls.map(({ foreign }) => foreign?.assembled),
    [{ state: 'cut' }, { state: 'fits', forgotten: true }, { state: 'fits' }],
  )
  assert.deepEqual(messagesIn(vendor.received[1]!), next)
})

test('a header chooses before the address, the address before the settings, and no header of ours goes on', async (t) => {
  const { vendor, gateway } = await openGateway(t, { assemble: ['cutter'] })
  const token = await newToken(gateway, 'cutter')
  const messages = rounds(30)
  const mode = (name: string) => [...session('one'), 'x-foreword-mode', name]
  await say(gateway, { messages, path: '/through/anthropic' })
  await say(gateway, { messages, path: '/through/anthropic', headers: mode('assemble') })
  await say(gateway, { messages, headers: mode('through') })
  await say(gateway, { messages, path: `/assemble/@${token}/anthropic`, headers: session('two') })
  const own = { headers: ['x-foreword-token', token, 'x-api-key', 'own', ...session('three')], body: bodyOf(messages) }
  await send(`${gateway.url}/through/anthropic/v1/messages`, own)
  assert.deepEqual(
    vendor.received.map((each) => messagesIn(each).length < messages.length),
    [false, true, false, true, true],
  )
  const names = vendor.received.flatMap(({ rawHeaders }) => rawHeaders.filter((_, at) => at % 2 === 0))
  assert.ok(!names.some((name) => /foreword/i.test(name)))
})

test('a body in an encoding is cut, and leaves without one', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  const body = gzipSync(bodyOf(rounds(30)))
  const answer = await send(`${gateway.url}/assemble/anthropic/v1/messages`, {
    headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own', 'content-encoding', 'gzip', ...session('one')],
    body,
  })
  assert.equal(answer.status, 200)
  const [received] = vendor.received
  assert.ok(messagesIn(received!).length < 61)
  assert.ok(!received!.rawHeaders.some((name) => name.toLowerCase() === 'content-encoding'))
  const [call] = await recordedCalls(gateway)
  const replay = await gateway.runtime.replay(call!.session ?? '')
  assert.deepEqual([replay.identical, replay.wires?.identical], [1, 1])
})

test('a fault in the cutting lets the call through as it came, and is reported', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  const body = `{"model":"claude-opus-5-5","messages":[{"role":"user","content":"${'x'.repeat(99)}`
  await send(`${gateway.url}/assemble/anthropic/v1/messages`, {
    headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own'],
    body,
  })
  assert.equal(vendor.received[0]!.body.toString(), body)
  const [call] = await recordedCalls(gateway)
  assert.equal(call!.foreign?.assembled?.state, 'failed')
  assert.match(gateway.warnings.join('\n'), /was not cut/)
})

test('what is no conversation leaves as it came, and is no fault', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  const headers = ['x-foreword-token', gateway.token, 'x-api-key', 'own']
  await send(`${gateway.url}/assemble/anthropic/v1/models`, { headers, method: 'GET' })
  await send(`${gateway.url}/assemble/openai/v1/embeddings`, { headers, body: '{"input": "One."}' })
  assert.deepEqual(
    vendor.received.map(({ url, body }) => [url, body.toString()]),
    [
      ['/v1/models', ''],
      ['/v1/embeddings', '{"input": "One."}'],
    ],
  )
  const calls = await recordedCalls(gateway)
  assert.deepEqual(
    calls.map(({ foreign }) => foreign?.assembled),
    [{ state: 'fits' }, { state: 'fits' }],
  )
  assert.deepEqual(gateway.warnings, [])
})

test('a model of whose window nothing is known keeps its conversation', async (t) => {
  const { vendor, gateway } = await openGateway(t)
  const body = bodyOf(rounds(30)).replace('claude-opus-5-5', 'no-such-model')
  const headers = ['x-foreword-token', gateway.token, 'x-api-key', 'own']
  await send(`${gateway.url}/assemble/anthropic/v1/messages`, { headers, body })
  assert.equal(vendor.received.at(-1)!.body.toString(), body)
  const [call] = await recordedCalls(gateway)
  assert.deepEqual(call!.foreign?.assembled, { state: 'window-unknown' })
})

test('a conversation of a program without ids stays one session over a cut', async (t) => {
  const { gateway } = await openGateway(t)
  const headers = ['user-agent', 'plain-script/1.0']
  for (const count of [28, 29, 30]) await say(gateway, { messages: rounds(count), headers })
  const calls = await recordedCalls(gateway)
  assert.equal(new Set(calls.map((call) => call.session)).size, 1)
  assert.deepEqual(
    calls.map(({ foreign }) => foreign?.assembled?.state),
    ['cut', 'cut', 'cut'],
  )
})

test('`foreword calls` marks a cut, cuts that were forgotten, and a call that could not be cut', async (t) => {
  const { gateway } = await openGateway(t)
  await say(gateway, { messages: rounds(30) })
  await say(gateway, { messages: [{ role: 'user', content: 'Something else.' }] })
  await say(gateway, { messages: [{ role: 'user', content: 'long '.repeat(5000) }] })
  const [call] = await recordedCalls(gateway)
  const { stdout } = await run(['calls', call!.session ?? '', '--home', gateway.home])
  assert.match(stdout, /\bcut \d+, end_turn/)
  assert.match(stdout, /earlier cuts forgotten/)
  assert.match(stdout, /not cut: too-large/)
  const one = await run(['calls', call!.session ?? '', call!.id, '--home', gateway.home])
  assert.match(
    one.stdout,
    /\nThe cut left \d+ groups of rounds out \([\d,]+ tokens\); nothing was sent again for it\.\n/,
  )
  assert.match(one.stdout, /\n +turn 1: older rounds \(left out: [\d,]+\) +0 /)
  assert.match(one.stdout, /: Read src\/gate-\d+\.ts \(shortened from \d+\) +\d+ /)
})
