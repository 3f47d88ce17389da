import assert from 'node:assert/strict'
import test from 'node:test'
import { type RawAnswer, send, startGateway } from './gateway.ts'
import { answerMessages, startVendor } from './vendor.ts'

test('calls of one token hold half of the memory for bodies, declared or not, and a call of another token does not wait', async (t) => {
  const goOn = Promise.withResolvers<void>()
  const vendor = await startVendor(t, async (request, outgoing) => {
    await goOn.promise
    await answerMessages()(request, outgoing)
  })
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: vendor.url, apiKeyEnv: 'KEY' } },
    environment: { KEY: 'made-up' },
    through: { maxBodyMegabytes: 1 },
  })
  const made = await fetch(`${gateway.url}/api/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'other', scope: 'talk' }),
  })
  const { token: other } = (await made.json()) as { readonly token: string }
  const call = (token: string, chunked: boolean): Promise<RawAnswer> => {
    const messages = [{ role: 'user', content: 'x'.repeat(300_000) }]
    const body = JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 10, messages })
    const length = chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)]
    const headers = ['Content-Type', 'application/json', 'x-foreword-token', token, ...length]
    return send(`${gateway.url}/through/anthropic/v1/messages`, { headers, body })
  }
  const first = vendor.next()
  const calls = [call(gateway.token, false)]
  await first
  calls.push(call(gateway.token, false), call(gateway.token, true))
  const second = vendor.next()
  calls.push(call(other, false))
  await second
  assert.equal(vendor.received.length, 2)
  goOn.resolve()
  assert.deepEqual(
    (await Promise.all(calls)).map(({ status }) => status),
    [200, 200, 200, 200],
  )
})
