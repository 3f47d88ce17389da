import assert from 'node:assert/strict'
import test from 'node:test'
import { send, startGateway } from './gateway.ts'
import { answerMessages, startVendor } from './vendor.ts'

test('a client that asks for a WebSocket is told at once to call over HTTP, and nothing leaves', async (t) => {
  const vendor = await startVendor(t, answerMessages())
  const gateway = await startGateway(t, {
    providers: { openai: { kind: 'openai', baseURL: `${vendor.url}/v1`, apiKeyEnv: 'KEY' } },
    environment: { KEY: 'made-up' },
  })
  const headers = ['Connection', 'Upgrade', 'Upgrade', 'websocket', 'x-foreword-token', gateway.token]
  const answer = await send(`${gateway.url}/through/openai/v1/responses`, { method: 'GET', headers })
  assert.equal(answer.status, 426)
  assert.match(answer.body.toString(), /over HTTP/)
  assert.equal(vendor.received.length, 0)
})
