import assert from 'node:assert/strict'
import test from 'node:test'
import type { SessionFindings } from '../../src/capability.ts'
import { run } from '../cli/recorded-io.ts'
import { recordedCalls, send, startGateway } from './gateway.ts'
import { startVendor } from './vendor.ts'

const TASK = 'Find all tests of the parser, and say which of them fail.'

test('what sub-agents cost is said with the name, the parent and the sum', async (t) => {
  const vendor = await startVendor(t, ({ body }, outgoing) => {
    const input = { subagent_type: 'Explore', description: 'Find the tests', prompt: TASK }
    const content = body.includes('Start one.')
      ? [{ type: 'tool_use', id: 'c1', name: 'Agent', input }]
      : [{ type: 'text', text: 'Done.' }]
    const usage = { input_tokens: 1_000, output_tokens: 100 }
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', content, usage }))
  })
  const gateway = await startGateway(t, {
    providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } },
    configuration: { models: { 'anthropic/m': { price: { input: 1, output: 10 } } } },
  })
  const own = ['x-foreword-token', gateway.token, 'x-api-key', 'own', 'user-agent', 'claude-cli/2.1.330']
  own.push('x-claude-code-session-id', 'one')
  const say = (text: string, ...headers: readonly string[]) =>
    send(`${gateway.url}/through/anthropic/v1/messages`, {
      headers: [...own, ...headers],
      body: JSON.stringify({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: text }] }),
    })
  await say('Start one.')
  await say(TASK, 'x-claude-code-agent-id', 'a1')
  await say('Look at one of them.', 'x-claude-code-agent-id', 'a2', 'x-claude-code-parent-agent-id', 'a1')
  const [{ session } = {}] = await recordedCalls(gateway)
  const answer = await fetch(`${gateway.url}/api/sessions/${session}/findings`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  })
  const { agents } = (await answer.json()) as SessionFindings
  assert.deepEqual(agents, [
    { id: 'one/a1', name: 'Explore: Find the tests', calls: 1, money: 0.002 },
    { id: 'one/a2', parent: 'one/a1', calls: 1, money: 0.002 },
  ])
  const { stdout } = await run(['explain', session!], { environment: { FOREWORD_HOME: gateway.home } })
  assert.match(
    stdout,
    /\n2 sub-agents, 2 calls, \$0\.0040: Explore: Find the tests \$0\.0020; one\/a2 \$0\.0020 \(started by Explore: Find the tests\)\.\n/,
  )
})
