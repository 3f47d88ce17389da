import assert from 'node:assert/strict'
import test from 'node:test'
import { send, startGateway } from './gateway.ts'
import { answerMessages, startVendor, messagesEvents } from './vendor.ts'

test('a call goes on byte by byte with its headers, and its answer comes back so', async (t) => {
  const vendor = await startVendor(t, (_, outgoing) => {
    outgoing.sendDate = false
    outgoing.writeHead(200, ['Content-Type', 'text/event-stream', 'X-Odd', 'one', 'x-ODD', 'two', 'Request-Id', 'r'])
    outgoing.end(messagesEvents('Hello.'))
  })
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } },
  })
  const body =
    '{ "model":"claude-opus-5-5",  "unknown":1.0e2,"messages":[{"role":"user","content":"H\\u00e9llo"}],"max_tokens":5}'
  const headers = [
    'X-Api-Key',
    'sk-ant-own',
    'anthropic-BETA',
    'a',
    'anthropic-beta',
    'b',
    'User-Agent',
    'claude-cli/2.1.330 (external, cli)',
  ]
  const answer = await send(`${gateway.url}/through/anthropic/v1/messages?beta=true`, {
    headers: ['x-foreword-token', gateway.token, ...headers],
    body,
  })
  const [received] = vendor.received
  assert.equal(received!.url, '/v1/messages?beta=true')
  assert.equal(received!.body.toString(), body)
  assert.deepEqual(received!.rawHeaders, [
    'Host',
    new URL(vendor.url).host,
    ...headers,
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Connection',
    'keep-alive',
  ])
  assert.equal(answer.status, 200)
  assert.equal(answer.body.toString(), messagesEvents('Hello.'))
  assert.deepEqual(answer.rawHeaders.slice(0, 8), [
    'Content-Type',
    'text/event-stream',
    'X-Odd',
    'one',
    'x-ODD',
    'two',
    'Request-Id',
    'r',
  ])
})

test('a call is on record with its session, its answer and the digest of its body', async (t) => {
  const vendor = await startVendor(t, answerMessages('Hello.'))
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } },
  })
  const body = JSON.stringify({
    model: 'claude-opus-5-5',
    stream: true,
    messages: [{ role: 'user', content: 'Say hello' }],
    max_tokens: 5,
  })
  await send(`${gateway.url}/through/anthropic/v1/messages`, {
    headers: [
      'x-foreword-token',
      gateway.token,
      'X-Api-Key',
      'sk-ant-own',
      'User-Agent',
      'claude-cli/2.1.330',
      'X-Claude-Code-Session-Id',
      'abc',
    ],
    body,
  })
  await gateway.runtime.idle()
  const [session] = await gateway.runtime.store.sessions()
  assert.deepEqual(session?.binding, { channel: 'claude-code', conversation: 'abc' })
  assert.equal(session.title, 'Say hello')
  const [call] = await gateway.runtime.store.calls(session.id)
  assert.equal(call?.model, 'anthropic/claude-opus-5-5')
  assert.equal(call?.outcome?.foreign?.status, 200)
  const again = await gateway.runtime.request(call.id, { body: true })
  assert.equal(again.identical, true)
  assert.equal(again.wire?.state, 'identical')
  assert.equal(again.body, body)
  assert.doesNotMatch(JSON.stringify(call), /sk-ant-own/)
  const replay = await gateway.runtime.replay(session.id)
  assert.equal(replay.identical, 1)
  assert.deepEqual(replay.wires?.identical, 1)
})
