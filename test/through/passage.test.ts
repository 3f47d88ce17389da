import assert from 'node:assert/strict'
import fs from 'node:fs'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { open, recordedCalls, send, startGateway, talkToken } from './gateway.ts'
import { answerMessages, messagesEvents, startVendor, type Vendor } from './vendor.ts'
import { freePort } from '../kit/free-port.ts'

const body = JSON.stringify({
  model: 'claude-opus-5-5',
  stream: true,
  messages: [{ role: 'user', content: 'Say hello' }],
  max_tokens: 5,
})

async function openGateway(t: TestContext, answer: Vendor['answer'] = answerMessages()) {
  const vendor = await startVendor(t, answer)
  const gateway = await startGateway(t, {
    providers: {
      anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1`, apiKeyEnv: 'VENDOR_KEY' },
      openai: { kind: 'openai', baseURL: `${vendor.url}/v1` },
      bare: { kind: 'openai-compatible', baseURL: `${vendor.url}/deep/path` },
    },
    environment: { VENDOR_KEY: 'sk-of-the-gateway-1234567890' },
  })
  return { vendor, gateway, through: `${gateway.url}/through`, token: ['x-foreword-token', gateway.token] }
}

test('bodies arrive whole in every encoding: packed, in chunks, and forty megabytes', async (t) => {
  const { vendor, gateway, through, token } = await openGateway(t, (_, outgoing) => void outgoing.end('{}'))
  const large = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(40_000_000) }] })
  const sent: readonly (readonly [readonly string[], Buffer])[] = [
    [['Content-Encoding', 'gzip'], gzipSync(body)],
    [['Content-Encoding', 'zstd'], zstdCompressSync(body)],
    [['Content-Encoding', 'BR', 'Transfer-Encoding', 'chunked'], brotliCompressSync(body)],
    [['Content-Encoding', 'deflate'], deflateSync(body)],
    [['Content-Encoding', 'deflate'], deflateRawSync(body)],
    [['Content-Encoding', 'identity'], Buffer.from(body)],
    [['Transfer-Encoding', 'chunked'], Buffer.from(body)],
    [[], Buffer.from(large)],
  ]
  for (const [headers, bytes] of sent) {
    const answer = await send(`${through}/anthropic/v1/messages`, {
      headers: [...token, 'x-api-key', 'own', ...headers],
      body: bytes,
    })
    assert.equal(answer.status, 200)
  }
  assert.deepEqual(
    vendor.received.map((request) => hash(request.body)),
    sent.map(([, bytes]) => hash(bytes)),
  )
  const calls = await recordedCalls(gateway)
  assert.equal(new Set(calls.slice(0, -1).map(({ requestDigest }) => requestDigest)).size, 1)
  const bodies = calls.slice(0, -1).map(async ({ id }) => (await gateway.runtime.request(id, { body: true })).body)
  assert.deepEqual(new Set((await Promise.all(bodies)).map(String)), new Set([body]))
})

test('every method and path goes on, below each form of a base address', async (t) => {
  const { vendor, through, token } = await openGateway(t, (_, outgoing) => void outgoing.end('{}'))
  const paths = [
    ['GET', '/anthropic/v1/models?limit=1000', undefined],
    ['POST', '/anthropic/v1/messages/count_tokens?beta=true', '{}'],
    ['POST', '/anthropic/messages', '{}'],
    ['POST', '/openai/v1/responses', '{}'],
    ['POST', '/openai/responses', '{}'],
    ['POST', '/openai/v1/embeddings', ''],
    ['DELETE', '/openai/v1/responses/r%2F1?x=%20y', undefined],
    ['POST', '/bare/chat/completions', '{}'],
  ] as const
  for (const [method, path, content] of paths) {
    const headers = [...token, 'authorization', 'Bearer own']
    assert.equal(
      (await send(`${through}${path}`, { method, headers, ...(content !== undefined && { body: content }) })).status,
      200,
    )
  }
  assert.deepEqual(
    vendor.received.map(({ method, url }) => `${method} ${url}`),
    [
      'GET /v1/models?limit=1000',
      'POST /v1/messages/count_tokens?beta=true',
      'POST /v1/messages',
      'POST /v1/responses',
      'POST /v1/responses',
      'POST /v1/embeddings',
      'DELETE /v1/responses/r%2F1?x=%20y',
      'POST /deep/path/chat/completions',
    ],
  )
})

test('an answer comes back as it is written, not when it ends', async (t) => {
  const go = Promise.withResolvers<void>()
  const { through, token } = await openGateway(t, async (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.write('event: ping\n\n')
    await go.promise
    outgoing.end('event: pong\n\n')
  })
  const answer = await open(`${through}/anthropic/v1/messages`, { headers: [...token, 'x-api-key', 'own'], body })
  const [first] = (await once(answer, 'data')) as [Buffer]
  assert.equal(first.toString(), 'event: ping\n\n')
  go.resolve()
  const [second] = (await once(answer, 'data')) as [Buffer]
  assert.equal(second.toString(), 'event: pong\n\n')
})

test('a caller that leaves ends the call at the provider, and the record says so', async (t) => {
  const { vendor, gateway, through, token } = await openGateway(t, (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.write(messagesEvents('Hello.').split('event: message_delta')[0])
  })
  const left = new AbortController()
  const received = vendor.next()
  const answer = await open(`${through}/anthropic/v1/messages`, {
    headers: [...token, 'x-api-key', 'own'],
    body,
    signal: left.signal,
  })
  await once(answer, 'data')
  const { socket } = (await received).incoming
  answer.on('error', () => {})
  left.abort()
  await once(socket, 'close')
  const [call] = await recordedCalls(gateway)
  assert.equal(call?.outcome?.foreign?.end, 'left')
  assert.equal(call.outcome?.error?.code, 'cancelled')
  assert.equal(call.outcome.usageEstimated, true)
})

test('an answer that breaks off at the provider breaks off here', async (t) => {
  const { gateway, through, token } = await openGateway(t, (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.write('event: ping\n\n', () => outgoing.destroy())
  })
  await assert.rejects(send(`${through}/anthropic/v1/messages`, { headers: [...token, 'x-api-key', 'own'], body }))
  const [call] = await recordedCalls(gateway)
  assert.equal(call?.outcome?.foreign?.end, 'broken')
})

test('a provider that cannot be reached is named in the form of its API', async (t) => {
  const port = await freePort()
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: `http://127.0.0.1:${port}/v1` } },
  })
  const answer = await send(`${gateway.url}/through/anthropic/v1/messages`, {
    headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own'],
    body,
  })
  assert.equal(answer.status, 502)
  const { type, error } = JSON.parse(answer.body.toString()) as { type: string; error: { message: string } }
  assert.equal(type, 'error')
  assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${port} cannot be reached`))
})

test('a client that waits for leave to send its body is given it', async (t) => {
  const { vendor, through, token } = await openGateway(t)
  const answer = await send(`${through}/anthropic/v1/messages`, {
    headers: [...token, 'x-api-key', 'own', 'Expect', '100-continue'],
    body,
  })
  assert.equal(answer.status, 200)
  assert.equal(vendor.received[0]!.body.toString(), body)
  assert.ok(!vendor.received[0]!.rawHeaders.includes('Expect'))
})

test('without a right token nothing goes on, and the answer has the form of the API', async (t) => {
  const { vendor, through } = await openGateway(t)
  for (const headers of [
    [],
    ['x-foreword-token', 'wrong'],
    ['x-api-key', 'sk-ant-own'],
    ['authorization', 'Bearer wrong'],
  ]) {
    const answer = await send(`${through}/anthropic/v1/messages`, { headers, body })
    assert.equal(answer.status, 401)
    const { error } = JSON.parse(answer.body.toString()) as { error: { type: string; message: string } }
    assert.equal(error.type, 'authentication_error')
    assert.match(error.message, /`x-foreword-token`, into the place of the API key, or into the address/)
  }
  const chat = await send(`${through}/openai/v1/chat/completions`, { body })
  assert.equal((JSON.parse(chat.body.toString()) as { error: { code: string } }).error.code, 'invalid_api_key')
  assert.equal((await send(`${through}/@wrong/anthropic/v1/messages`, { body })).status, 401)
  assert.equal(vendor.received.length, 0)
})

test('a path that leads out of the address of its provider does not go on', async (t) => {
  const { vendor, through, token } = await openGateway(t)
  for (const path of [
    '/v1/../admin',
    '/../admin',
    '/v1/%2e%2E/admin',
    '/v1/..%2fadmin',
    '/./v1/models',
    '/..\\admin',
  ]) {
    const answer = await send(`${through}/anthropic${path}`, { headers: token, method: 'GET' })
    assert.equal(answer.status, 400, path)
    assert.match(answer.body.toString(), /has a segment that could lead elsewhere/)
  }
  assert.equal(vendor.received.length, 0)
  assert.equal((await send(`${through}/anthropic/v1/a..b?next=../c`, { headers: token, method: 'GET' })).status, 200)
})

test('pages of others and other names of this machine are refused', async (t) => {
  const { vendor, through, token } = await openGateway(t)
  const answer = await send(`${through}/anthropic/v1/messages`, {
    headers: [...token, 'origin', 'https://evil.example'],
    body,
  })
  assert.equal(answer.status, 403)
  assert.equal(vendor.received.length, 0)
})

test('the token in an address has the scope talk and no other, and reaches no provider', async (t) => {
  const { vendor, gateway, through } = await openGateway(t)
  const token = await talkToken(gateway)
  assert.equal((await send(`${through}/@${token}/anthropic/v1/messages`, { body })).status, 200)
  const owner = await send(`${through}/@${gateway.token}/anthropic/v1/messages`, { body })
  assert.equal(owner.status, 403)
  assert.doesNotMatch(owner.body.toString(), new RegExp(gateway.token))
  assert.equal(vendor.received.length, 1)
  const [received] = vendor.received
  assert.equal(received!.url, '/v1/messages')
  assert.ok(!JSON.stringify(received!.rawHeaders).includes(token))
})

test('the token beside the project of a caller has the scope talk, and only the project goes on and is recorded', async (t) => {
  const { vendor, gateway, through } = await openGateway(t, (_, outgoing) => void outgoing.end('{}'))
  const token = await talkToken(gateway)
  const call = (project: string) =>
    send(`${through}/openai/v1/responses`, {
      headers: ['OpenAI-Project', project, 'Authorization', 'Bearer own'],
      body,
    })
  assert.equal((await call(`foreword:${token}:proj_1`)).status, 200)
  assert.equal((await call(`foreword:${token}`)).status, 200)
  assert.equal((await call(`foreword:${gateway.token}`)).status, 403)
  assert.equal((await call('foreword:wrong')).status, 401)
  const projects = vendor.received.map(({ rawHeaders }) =>
    rawHeaders.filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === 'openai-project'),
  )
  assert.deepEqual(projects, [['proj_1'], []])
  await gateway.runtime.idle()
  const records = JSON.stringify(await gateway.runtime.store.findCalls({ limit: 10 }))
  assert.match(records, /\/v1\/responses/)
  assert.ok(!records.includes(token))
})

test("the gateway's key goes where the caller has none, and the caller's own is left alone", async (t) => {
  const { vendor, gateway, through, token } = await openGateway(t)
  const messages = `${through}/anthropic/v1/messages`
  await send(messages, { headers: token, body })
  await send(messages, { headers: ['x-api-key', gateway.token], body })
  await send(messages, { headers: ['Authorization', `Bearer ${gateway.token}`], body })
  await send(messages, { headers: [...token, 'X-Api-Key', 'sk-ant-own'], body })
  const keys = vendor.received.map(({ rawHeaders }) =>
    rawHeaders.flatMap((name, at) =>
      at % 2 === 0 && /api-key|authorization/i.test(name) ? [`${name}: ${rawHeaders[at + 1]}`] : [],
    ),
  )
  const own = ['x-api-key: sk-of-the-gateway-1234567890']
  assert.deepEqual(keys, [own, own, own, ['X-Api-Key: sk-ant-own']])
  assert.ok(vendor.received.every(({ rawHeaders }) => !JSON.stringify(rawHeaders).includes(gateway.token)))
})

test('the sign-in token of a subscription goes on only where the owner says so', async (t) => {
  const { vendor, gateway, through, token } = await openGateway(t)
  const headers = [...token, 'Authorization', 'Bearer sk-ant-oat01-abcdef']
  const refused = await send(`${through}/anthropic/v1/messages`, { headers, body })
  assert.equal(refused.status, 403)
  assert.doesNotMatch(refused.body.toString(), /sk-ant-oat01/)
  assert.equal(vendor.received.length, 0)
  await gateway.close()
  const other = await startGateway(t, {
    through: { signInTokens: true },
    providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } },
  })
  const answer = await send(`${other.url}/through/anthropic/v1/messages`, {
    headers: ['x-foreword-token', other.token, 'Authorization', 'Bearer sk-ant-oat01-abcdef'],
    body,
  })
  assert.equal(answer.status, 200)
})

test('a fault of the record lets the call through and is reported', async (t) => {
  const { gateway, through, token } = await openGateway(t)
  gateway.runtime.store.transaction = () => Promise.reject(new Error('the disk is full'))
  const answer = await send(`${through}/anthropic/v1/messages`, { headers: [...token, 'x-api-key', 'own'], body })
  assert.equal(answer.status, 200)
  assert.equal(answer.body.toString(), messagesEvents('Hello.'))
  await gateway.runtime.idle()
  const { facts, warnings } = await gateway.runtime.status()
  assert.deepEqual(facts['through'], {
    open: 0,
    recorded: 0,
    lost: 1,
    lastFault: 'it was not recorded: the disk is full',
  })
  assert.match(warnings.join('\n'), /1 call of another program went on and could not be recorded/)
  assert.match(gateway.warnings.join('\n'), /the disk is full/)
})

test('a call that ends at once waits for the disk three times: as it leaves, with its end, and with all that it said', async (t) => {
  const { gateway, through, token } = await openGateway(t)
  const call = async (words: string) => {
    const sent = body.replace('Say hello', words)
    const headers = [...token, 'x-api-key', 'own', 'x-claude-code-session-id', 'one']
    await send(`${through}/anthropic/v1/messages`, { headers, body: sent })
    await gateway.runtime.idle()
  }
  // The first one also begins the session.
  await call('Say hello')
  const waits = t.mock.method(fs, 'fdatasync')
  syncBuiltinESMExports()
  await call('Say goodbye')
  waits.mock.restore()
  syncBuiltinESMExports()
  const count = waits.mock.callCount()
  assert.ok(count > 0 && count <= 3, `it waited ${count} times`)
})

test('a call with a secret of the gateway does not leave', async (t) => {
  const { vendor, gateway, through, token } = await openGateway(t)
  const secret = JSON.stringify({
    model: 'claude-opus-5-5',
    messages: [{ role: 'user', content: 'KEY=sk-of-the-gateway-1234567890' }],
  })
  for (const [headers, bytes] of [
    [[], Buffer.from(secret)],
    [['Content-Encoding', 'gzip'], gzipSync(secret)],
  ] as const) {
    const answer = await send(`${through}/anthropic/v1/messages`, {
      headers: [...token, 'x-api-key', 'own', ...headers],
      body: bytes,
    })
    assert.equal(answer.status, 402)
    assert.ok(answer.rawHeaders.includes('x-should-retry'))
    const { error } = JSON.parse(answer.body.toString()) as { error: { message: string } }
    assert.match(error.message, /VENDOR_KEY/)
    assert.doesNotMatch(error.message, /sk-of-the-gateway/)
  }
  assert.equal(vendor.received.length, 0)
  const [call] = await recordedCalls(gateway)
  assert.equal(call?.outcome?.foreign?.end, 'refused')
  const kept = await gateway.runtime.request(call.id, { body: true })
  assert.doesNotMatch(JSON.stringify(kept), /sk-of-the-gateway/)
})

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** A server that keeps connections and does with the second request on one what `second` says. */
async function keepingServer(t: TestContext, second: (socket: Socket) => void) {
  const bodies: string[] = []
  const closed: Promise<unknown>[] = []
  const server = createServer((socket) => {
    closed.push(once(socket, 'close'))
    let requests = 0
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      if (!bytes.includes('"max_tokens":5')) return
      bodies.push(bytes.toString())
      requests += 1
      if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
      else second(socket)
    })
    t.after(() => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const gateway = await startGateway(t, { providers: { openai: { kind: 'openai', baseURL: `${url}/v1` } } })
  const say = () =>
    send(`${gateway.url}/through/openai/v1/chat/completions`, {
      headers: ['x-foreword-token', gateway.token, 'authorization', 'Bearer own'],
      body,
    })
  return { bodies, closed, gateway, say }
}

test('what a provider has received is not sent again: its caller hears that the connection broke', async (t) => {
  const { bodies, gateway, say } = await keepingServer(t, (socket) => void socket.resetAndDestroy())
  assert.equal((await say()).status, 200)
  assert.equal((await say()).status, 502)
  assert.equal(bodies.length, 2)
  const calls = await recordedCalls(gateway)
  assert.deepEqual(
    calls.map(({ outcome }) => outcome?.error?.code),
    [undefined, 'network'],
  )
})

test('a key in escapes does not leave', async (t) => {
  const { vendor, through, token } = await openGateway(t)
  for (const upper of [false, true]) {
    const key = Array.from('sk-of-the-gateway-1234567890', (each) => {
      const hex = each.charCodeAt(0).toString(16).padStart(4, '0')
      return `\\u${upper ? hex.toUpperCase() : hex}`
    }).join('')
    const escaped = body.replace('Say hello', key)
    assert.ok(JSON.parse(escaped))
    const answer = await send(`${through}/anthropic/v1/messages`, {
      headers: [...token, 'x-api-key', 'own'],
      body: escaped,
    })
    assert.match(answer.body.toString(), /contains a secret of the gateway/)
  }
  assert.equal(vendor.received.length, 0)
})

test('a provider whose variable of its key is not set is 401 for a caller without one', async (t) => {
  const { vendor } = await openGateway(t)
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1`, apiKeyEnv: 'NOT_SET' } },
  })
  const answer = await send(`${gateway.url}/through/anthropic/v1/messages`, {
    headers: ['x-foreword-token', gateway.token],
    body,
  })
  assert.equal(answer.status, 401)
  assert.match(answer.body.toString(), /NOT_SET/)
  assert.equal(vendor.received.length, 0)
})
