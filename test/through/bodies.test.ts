import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request as startRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import * as zlib from 'node:zlib'
import { fixedClock } from '../../src/testing.ts'
import { clockOf, systemClock } from '../../src/platform.ts'
import { type GatewayOptions, recordedCalls, send, startGateway, talkToken } from './gateway.ts'
import { answerMessages, startVendor } from './vendor.ts'

/** A gateway with a megabyte for bodies, of which a token has half, before a vendor that answers once `goOn` is resolved. */
async function opened(t: TestContext, options: Pick<GatewayOptions, 'clock' | 'through'> = {}) {
  const goOn = Promise.withResolvers<void>()
  const vendor = await startVendor(t, async (request, outgoing) => {
    await goOn.promise
    await answerMessages()(request, outgoing)
  })
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: vendor.url, apiKeyEnv: 'KEY' } },
    environment: { KEY: 'made-up' },
    configuration: { gateway: { heldBodyMegabytes: 1 } },
    ...options,
  })
  const post = (token: string, body: string | Uint8Array, ...more: readonly string[]) => {
    const from = ['x-foreword-token', token, 'X-From', token === gateway.token ? 'first' : 'other']
    const headers = ['Content-Type', 'application/json', ...from, ...more]
    return send(`${gateway.url}/through/anthropic/v1/messages`, { headers, body })
  }
  const call = async (token: string, form: 'declared' | 'chunked' | 'packed' = 'declared'): Promise<number> => {
    const messages = [{ role: 'user', content: 'x'.repeat(300_000) }]
    const body = JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 10, messages })
    if (form === 'packed') return (await post(token, zlib.gzipSync(body), 'Content-Encoding', 'gzip')).status
    return (await post(token, body, ...(form === 'chunked' ? ['Transfer-Encoding', 'chunked'] : []))).status
  }
  /** Another endpoint, which refuses what it has read. */
  const plain = async (token: string, path: string, chunked = false): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: '2.0', unknown: 'x'.repeat(300_000) })
    const length = chunked ? ['Transfer-Encoding', 'chunked'] : []
    const accept = ['Accept', 'application/json, text/event-stream']
    const headers = ['Content-Type', 'application/json', 'Authorization', `Bearer ${token}`, ...accept, ...length]
    return (await send(`${gateway.url}${path}`, { headers, body })).status
  }
  return { goOn, vendor, gateway, post, call, plain, other: await talkToken(gateway, 'other') }
}

test('calls of one token hold half of the memory for bodies, declared, packed or not, and a call of another token does not wait', async (t) => {
  const { goOn, vendor, gateway, call, other } = await opened(t)
  const first = vendor.next()
  const calls = [call(gateway.token)]
  await first
  calls.push(call(gateway.token), call(gateway.token, 'chunked'), call(gateway.token, 'packed'))
  const second = vendor.next()
  calls.push(call(other, 'packed'))
  await second
  const from = vendor.received.map(({ rawHeaders }) => rawHeaders[rawHeaders.indexOf('X-From') + 1])
  assert.deepEqual(from, ['first', 'other'])
  goOn.resolve()
  assert.deepEqual(await Promise.all(calls), [200, 200, 200, 200, 200])
})

test('tasks whose packed bodies are each larger than what is left go on one after another', async (t) => {
  const { goOn, gateway, post } = await opened(t)
  goOn.resolve()
  const body = JSON.stringify({
    model: 'claude-opus-5-5',
    messages: [{ role: 'user', content: 'x'.repeat(3_000_000) }],
  })
  const packed = zlib.gzipSync(body)
  const answers = Array.from({ length: 8 }, () => post(gateway.token, packed, 'Content-Encoding', 'gzip'))
  assert.deepEqual(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([200]))
})

const fast = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }
for (const [encoding, pack] of Object.entries({
  gzip: () => zlib.createGzip({ level: 1 }),
  deflate: () => zlib.createDeflate({ level: 1 }),
  br: () => zlib.createBrotliCompress(fast),
  zstd: () => zlib.createZstdCompress(),
})) {
  test(`eight bodies in ${encoding} that become 600 MB each are refused by name, and none of that is ever held`, async (t) => {
    const { goOn, vendor, gateway, post, call, other } = await opened(t, { through: { maxBodyMegabytes: 16 } })
    goOn.resolve()
    const bomb = await zeros(pack())
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 1)
    t.after(() => clearInterval(watch))
    const bombs = Array.from({ length: 8 }, () => post(gateway.token, bomb, 'Content-Encoding', encoding))
    assert.equal(await call(other, 'packed'), 200)
    for (const { status, body } of await Promise.all(bombs)) {
      assert.equal(status, 413)
      assert.match(body.toString(), /The body, once it is unpacked, is larger than the limit of 16777216 bytes/)
    }
    assert.ok(most < 150_000_000, `${most} bytes`)
    assert.equal(vendor.received.length, 1)
    assert.equal((await recordedCalls(gateway)).length, 1)
    assert.equal(await call(gateway.token), 200)
  })
}

/** 600 MB of them. */
async function zeros(stream: zlib.Gzip | zlib.Deflate | zlib.BrotliCompress | zlib.ZstdCompress): Promise<Buffer> {
  const parts = buffer(stream)
  const megabyte = Buffer.alloc(1_000_000)
  for (let at = 0; at < 600; at += 1) if (!stream.write(megabyte)) await once(stream, 'drain')
  stream.end()
  return parts
}

for (const [path, chunked] of [
  ['/api/messages', false],
  ['/api/messages', true],
  ['/v1/chat/completions', false],
  ['/mcp', false],
] as const) {
  test(`bodies of ${path}${chunked ? ', undeclared,' : ''} are in the same budget, and another token does not wait`, async (t) => {
    const { goOn, vendor, gateway, call, plain, other } = await opened(t)
    const first = vendor.next()
    const held = call(gateway.token)
    await first
    let isAnswered = false
    const waits = plain(gateway.token, path, chunked).finally(() => (isAnswered = true))
    // An endpoint of the same kind: it comes later and is answered sooner.
    assert.equal(await plain(other, '/api/messages', chunked), 400)
    assert.equal(isAnswered, false)
    goOn.resolve()
    assert.equal(await held, 200)
    assert.ok((await waits) >= 400)
    // Nothing of it stays held.
    assert.equal(await call(gateway.token), 200)
  })
}

test('other work runs while a large body arrives, before any of its steps', async (t) => {
  const enough = Promise.withResolvers<void>()
  let isArriving = false
  let now = 0
  let yields = 0
  const clock = clockOf({
    ...systemClock,
    // Each look at the clock takes as long as a slice.
    monotonic: () => (now += isArriving ? 11 : 0),
    soon(work) {
      if (isArriving) yields += 1
      if (yields === 6) enough.resolve()
      systemClock.soon(work)
    },
  })
  const { goOn, gateway } = await opened(t, { clock })
  goOn.resolve()
  const messages = [{ role: 'user', content: 'x'.repeat(400_000) }]
  const body = Buffer.from(JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 10, messages }))
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-foreword-token': gateway.token,
  }
  const call = startRequest(`${gateway.url}/through/anthropic/v1/messages`, { method: 'POST', headers })
  isArriving = true
  call.write(body.subarray(0, -1))
  await enough.promise
  isArriving = false
  call.end(body.subarray(-1))
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 200)
  answer.resume()
})

test('a body is held until its call is on record, not only until it is answered', async (t) => {
  const moments: (() => void)[] = []
  const timers = {
    timer(...[milliseconds, work, options]: Parameters<typeof systemClock.timer>) {
      if (milliseconds !== 100) return systemClock.timer(milliseconds, work, options)
      moments.push(work)
      return () => {}
    },
  }
  const { goOn, vendor, gateway, call, other } = await opened(t, { clock: fixedClock({ timers }) })
  goOn.resolve()
  assert.equal(await call(gateway.token), 200)
  const waits = call(gateway.token)
  assert.equal(await call(other), 200)
  assert.equal(vendor.received.length, 2)
  for (const begin of moments.splice(0)) begin()
  assert.equal(await waits, 200)
  for (const begin of moments.splice(0)) begin()
})
