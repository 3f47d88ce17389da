import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnForeword } from '../cli/gateway-process.ts'
import { temporaryHome } from '../cli/home.ts'
import { open, startGateway } from './gateway.ts'
import { messagesEvents, startVendor } from './vendor.ts'

const body = JSON.stringify({
  model: 'claude-opus-5-5',
  stream: true,
  messages: [{ role: 'user', content: 'Say hello' }],
  max_tokens: 5,
})

test('a gateway that is killed in the middle of an answer has the call on record, and says that its end is not known', async (t) => {
  const vendor = await startVendor(t, (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.write(messagesEvents('Hello.').split('event: content_block_stop')[0])
  })
  const { home, environment } = temporaryHome(t)
  const providers = { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } }
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.json'), JSON.stringify({ providers }))
  const gateway = spawnForeword(t, ['start'], { HOME: home, OLLAMA_HOST: '127.0.0.1:1', ...environment })
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(await gateway.line(/http:\/\/127\.0\.0\.1:\d+/)) ?? []
  const token = readFileSync(join(home, 'data/token'), 'utf8').trim()
  const answer = await open(`${url}/through/anthropic/v1/messages`, {
    headers: ['x-foreword-token', token, 'x-api-key', 'own', 'user-agent', 'claude-cli/2.1.330 (external, cli)'],
    body,
  })
  answer.on('error', () => {})
  const headers = { authorization: `Bearer ${token}` }
  for (;;) {
    const { calls } = (await (await fetch(`${url}/api/calls`, { headers })).json()) as { calls: readonly unknown[] }
    if (calls.length > 0) break
    await sleep(10)
  }
  gateway.child.kill('SIGKILL')
  await gateway.ended
  const again = await startGateway(t, { home, providers })
  const [call] = await again.runtime.store.findCalls({ limit: 10 })
  assert.equal(call?.outcome, undefined)
  assert.equal(call?.foreign?.client, 'claude-code')
  assert.equal(Buffer.from((await again.runtime.request(call.id, { body: true })).body ?? '').toString(), body)
})
