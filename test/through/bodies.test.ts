import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { fixedClock } from '../../src/testing.ts'
import { systemClock } from '../../src/platform.ts'
import { type GatewayOptions, send, startGateway, talkToken } from './gateway.ts'
import { answerMessages, startVendor } from './vendor.ts'

/** A gateway with a megabyte for bodies, of which a token has half, before a vendor that answers once `goOn` is resolved. */
async function opened(t: TestContext, options: Pick<GatewayOptions, 'clock'> = {}) {
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
  const call = async (token: string, chunked = false): Promise<number> => {
    const messages = [{ role: 'user', content: 'x'.repeat(300_000) }]
    const body = JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 10, messages })
    const length = chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)]
    const headers = ['Content-Type', 'application/json', 'x-foreword-token', token, ...length]
    return (await send(`${gateway.url}/through/anthropic/v1/messages`, { headers, body })).status
  }
  /** Another endpoint, which refuses what it has read. */
  const plain = async (token: string, path: string, chunked = false): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: '2.0', unknown: 'x'.repeat(300_000) })
    const length = chunked ? ['Transfer-Encoding', 'chunked'] : []
    const accept = ['Accept', 'application/json, text/event-stream']
    const headers = ['Content-Type', 'application/json', 'Authorization', `Bearer ${token}`, ...accept, ...length]
    return (await send(`${gateway.url}${path}`, { headers, body })).status
  }
  return { goOn, vendor, gateway, call, plain, other: await talkToken(gateway, 'other') }
}

test('calls of one token hold half of the memory for bodies, declared or not, and a call of another token does not wait', async (t) => {
  const { goOn, vendor, gateway, call, other } = await opened(t)
  const first = vendor.next()
  const calls = [call(gateway.token)]
  await first
  calls.push(call(gateway.token), call(gateway.token, true))
  const second = vendor.next()
  calls.push(call(other))
  await second
  assert.equal(vendor.received.length, 2)
  goOn.resolve()
  assert.deepEqual(await Promise.all(calls), [200, 200, 200, 200])
})

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
