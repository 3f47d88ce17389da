import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { recordedCalls, send, startGateway } from './gateway.ts'
import { answerMessages, startVendor } from './vendor.ts'

/** A gateway with a secret, and a program whose calls are one conversation. */
async function opened(t: TestContext, { isPacked = false } = {}) {
  const vendor = await startVendor(t, answerMessages())
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: vendor.url, apiKeyEnv: 'KEY' } },
    environment: { KEY: 'sk-of-the-gateway-1234567890' },
  })
  const headers = ['user-agent', 'claude-cli/2.1.330 (external, cli)', 'x-claude-code-session-id', 'one']
  const say = (body: string) =>
    send(`${gateway.url}/through/anthropic/v1/messages`, {
      headers: [...headers, 'x-foreword-token', gateway.token, ...(isPacked ? ['content-encoding', 'zstd'] : [])],
      body: isPacked ? zstdCompressSync(body) : body,
    })
  return { vendor, gateway, say }
}

function bodyOf(...texts: readonly string[]): string {
  const messages = texts.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }))
  return JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 10, messages })
}

for (const isPacked of [false, true]) {
  test(`the whole of each${isPacked ? ' packed' : ''} call leaves and is on record, whatever it has in common with the one before`, (t) =>
    leavesWhole(t, isPacked))
}

async function leavesWhole(t: TestContext, isPacked: boolean): Promise<void> {
  const { vendor, gateway, say } = await opened(t, { isPacked })
  const plain = (bytes: Uint8Array) => (isPacked ? zstdDecompressSync(bytes) : bytes)
  const long = 'Words that come back. '.repeat(10_000)
  const bodies = [
    bodyOf(long),
    bodyOf(long, 'Answer.', 'More.'),
    bodyOf(long, 'Answer.', 'More.', 'Answer.', long),
    bodyOf(long, 'Answer.', 'Something else, é'),
    bodyOf(long, 'Answer.', 'Something else, è', 'Answer.', 'The end.'),
    bodyOf(long, 'Answer.', 'Something else, è', 'Answer.', 'The end.'),
    bodyOf(long),
    '{"model":"claude-opus-5-5"',
    bodyOf('Short.'),
  ]
  for (const body of bodies) {
    await say(body)
    await gateway.runtime.idle()
  }
  // At once: none of them is written over another.
  const together = ['one', 'two', 'three', 'four'].map((text) => bodyOf(long, 'Answer.', text.repeat(10_000)))
  await Promise.all(together.map(say))
  const left = vendor.received.map(({ body }) => digest(plain(body)))
  assert.deepEqual(left.slice(0, bodies.length), bodies.map(digest))
  assert.deepEqual(new Set(left.slice(bodies.length)), new Set(together.map(digest)))
  const calls = await recordedCalls(gateway)
  const sent = new Set(vendor.received.map(({ body }) => digest(body)))
  assert.deepEqual(new Set(calls.map(({ outcome }) => outcome?.wire?.sha256)), sent)
  for (const session of new Set(calls.map((call) => call.session!))) {
    const { calls: count, identical, wires } = await gateway.runtime.replay(session)
    assert.deepEqual([identical, wires?.identical], [count, count])
  }
}

test('a secret is found that begins in what was sent before', (t) => findsSecret(t, false))
test('a secret is found that begins in what was sent before, where bodies are packed', (t) => findsSecret(t, true))

async function findsSecret(t: TestContext, isPacked: boolean): Promise<void> {
  const { vendor, gateway, say } = await opened(t, { isPacked })
  const said = 'Nothing of interest. '.repeat(10_000)
  assert.equal((await say(bodyOf(`${said} The key is sk-of-the-gateway-1234567`))).status, 200)
  await gateway.runtime.idle()
  const found = await say(bodyOf(`${said} The key is sk-of-the-gateway-1234567890`))
  assert.equal(found.status, 402)
  assert.match(found.body.toString(), /contains a secret of the gateway/)
  await gateway.runtime.idle()
  // What was refused is no beginning that is known to be clean.
  assert.equal((await say(bodyOf(`${said} The key is sk-of-the-gateway-1234567890`, 'No.', 'Again.'))).status, 402)
  assert.equal(vendor.received.length, 1)
}

function digest(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex')
}
