import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { recordedCalls, send, startGateway } from './gateway.ts'
import { answerMessages, startVendor } from './vendor.ts'

test('a session of 500 calls with ten megabytes of bodies takes less than fifteen on disk, and every body is whole', async (t) => {
  const vendor = await startVendor(t, answerMessages('Done.'))
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } },
  })
  const tools = Array.from({ length: 8 }, (_, at) => ({
    name: `tool-${at}`,
    description: words(at, 40),
    input_schema: { type: 'object', properties: {} },
  }))
  const messages: object[] = [{ role: 'user', content: 'Begin.' }]
  let bytes = 0
  for (let call = 0; call < 500; call += 1) {
    const body = JSON.stringify({
      model: 'claude-opus-5-5',
      system: words(1, 200),
      tools,
      messages,
      stream: true,
      max_tokens: 128_000,
    })
    bytes += body.length
    const headers = [
      'x-foreword-token',
      gateway.token,
      'user-agent',
      'claude-cli/2.1.330',
      'x-claude-code-session-id',
      'long',
    ]
    assert.equal((await send(`${gateway.url}/through/anthropic/v1/messages?beta=true`, { headers, body })).status, 200)
    messages.push(...step(call))
    // The client summarizes its conversation and goes on from that.
    if (messages.length > 61)
      messages.splice(0, messages.length, { role: 'user', content: `What was: ${words(call, 80)}` })
  }
  const calls = await recordedCalls(gateway)
  assert.equal(calls.length, 500)
  const { identical, wires } = await gateway.runtime.replay(calls[0]!.session!)
  assert.deepEqual([identical, wires?.identical], [500, 500])
  await gateway.close()
  const files = readdirSync(join(gateway.home, 'data')).filter((file) => !file.startsWith('history'))
  const size = files.reduce((sum, file) => sum + statSync(join(gateway.home, 'data', file)).size, 0)
  t.diagnostic(`${bytes} bytes of bodies, ${size} on disk`)
  assert.ok(bytes > 9_000_000 && bytes < 13_000_000, `${bytes} bytes of bodies`)
  assert.ok(size < 15_000_000, `${size} bytes on disk`)
})

/** A call of a tool and its result. */
function step(number: number): readonly object[] {
  const id = `toolu_${number}`
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: `tool-${number % 8}`, input: { path: `/src/${number}.ts` } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: words(number, 140) }] },
  ]
}

/** Words that no other number gives. */
function words(seed: number, count: number): string {
  return Array.from({ length: count }, (_, at) => ((seed + 1) * 7919 + at * 104_729).toString(36)).join(' ')
}
