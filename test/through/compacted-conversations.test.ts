import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { ForeignExchange } from '../../src/capability.ts'
import type { CallRecord } from '../../src/session.ts'
import { recordedCalls, send, startGateway, type TestGateway } from './gateway.ts'
import { messagesEvents, startVendor } from './vendor.ts'

/** A vendor that answers a call for a summary with one, and any other in few words. */
async function openGateway(t: TestContext) {
  const vendor = await startVendor(t, ({ body }, outgoing) => {
    const isSummary = body.includes('context summarization assistant') || body.includes('detailed summary')
    outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    outgoing.end(messagesEvents(isSummary ? SUMMARY : 'It was done as you said.'))
  })
  return startGateway(t, { providers: { anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` } } })
}

const SUMMARY = 'The person wants a gate that opens with seven turns of the handle.'

const user = (text: string) => ({ role: 'user', content: text })
const assistant = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] })
const tools = [{ name: 'look', description: 'Looks at something.', input_schema: { type: 'object' } }]
const PI = ['user-agent', 'pi (linux)']
const compaction = { system: 'You are a context summarization assistant.', tools: [] }

function say(gateway: TestGateway, messages: readonly object[], more: object = {}, headers: readonly string[] = PI) {
  return send(`${gateway.url}/through/anthropic/v1/messages`, {
    headers: ['x-foreword-token', gateway.token, 'x-api-key', 'own', ...headers],
    body: JSON.stringify({
      model: 'claude-opus-5-5',
      system: 'You help with gates.',
      tools,
      stream: true,
      max_tokens: 100,
      messages,
      ...more,
    }),
  })
}

/** Three turns on a subject, and the call of each. */
async function talk(gateway: TestGateway, subject: string, headers?: readonly string[]) {
  const messages: object[] = []
  for (const turn of ['Begin', 'Go on', 'Come to an end']) {
    messages.push(user(`${turn} with ${subject}, and tell me how it went. ${'Be careful with it. '.repeat(40)}`))
    await say(gateway, messages, {}, headers)
    messages.push(assistant(`I took care of ${subject} as you said, and looked at all of it.`))
  }
  return messages
}

const quoted = (messages: readonly object[]) => [
  user(`<conversation>\n${messages.map((each) => JSON.stringify(each)).join('\n')}\n</conversation>\nSummarize it.`),
]

const summed = (text: string) =>
  user(`The conversation history before this point was compacted into the following summary:\n\n${text}`)

const named = (calls: readonly CallRecord[]) => calls.map(({ foreign, turn }) => [foreign?.kind, turn])

test('a program without ids that compacts its conversation stays in one session, after a restart too, and its turns count on', async (t) => {
  const gateway = await openGateway(t)
  const gate = await talk(gateway, 'the gate of the garden')
  const boat = await talk(gateway, 'the boat at the lake')
  await say(gateway, quoted(gate), compaction)
  await recordedCalls(gateway)
  const again = await gateway.restart()
  await say(again, [summed(SUMMARY), user('Now paint it.')])
  await say(again, [summed(SUMMARY), user('Now paint it.'), assistant('Painted.'), user('In green.')])
  await say(again, [...boat, user('And the oars?')])
  // What begins with the same tools and system text and has no summary is another conversation.
  await say(again, quoted(boat), compaction)
  await say(again, [user('What is a good name for a dog?')])
  const calls = await recordedCalls(again)
  const sessions = [...Map.groupBy(calls, ({ session }) => session).values()].map(named)
  const three = ['turn-1', 'turn-2', 'turn-3'].map((turn) => ['turn', turn])
  assert.deepEqual(
    sessions.map((each) => each.filter(([kind]) => kind === 'turn')),
    [[...three, ['turn', 'turn-4'], ['turn', 'turn-5']], [...three, ['turn', 'turn-4']], [['turn', 'turn-1']]],
  )
  assert.deepEqual(
    sessions.map((each) => each.filter(([kind]) => kind === 'compaction').length),
    [1, 1, 0],
  )
  const { manifest } = calls.findLast(({ turn }) => turn === 'turn-5')!
  assert.ok(manifest.entries.some(({ id, layer }) => layer === 'turn' && id === 'turn-4'))
  assert.ok(!manifest.entries.some(({ id }) => /^turn-[12]\b/.test(id)))
})

test('a turn goes on where the conversation is compacted within it, and the next one has the next number', async (t) => {
  const gateway = await openGateway(t)
  const claude = ['user-agent', 'claude-cli/2.1.330 (external, cli)', 'x-claude-code-session-id', 'one']
  const messages = await talk(gateway, 'the gate of the garden', claude)
  await say(
    gateway,
    [...messages, user('Your task is to create a detailed summary of the conversation so far.')],
    {},
    claude,
  )
  const after: object[] = [
    user(`This session is being continued from a previous conversation. ${SUMMARY}`),
    assistant('I go on.'),
  ]
  await say(gateway, after.slice(0, 1), {}, claude)
  await say(gateway, [...after, user('And the fence?')], {}, claude)
  const calls = await recordedCalls(gateway)
  assert.deepEqual(
    named(calls).filter(([kind]) => kind === 'turn'),
    ['turn-1', 'turn-2', 'turn-3', 'turn-3', 'turn-4'].map((turn) => ['turn', turn]),
  )
  const answer = await fetch(`${gateway.url}/api/sessions/${calls[0]!.session}/exchanges`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  })
  const { exchanges } = (await answer.json()) as { readonly exchanges: readonly ForeignExchange[] }
  assert.deepEqual(
    exchanges.map(({ words }) => words?.slice(0, 12)),
    ['Begin with t', 'Go on with t', 'Come to an e', undefined, undefined, 'And the fenc'],
  )
})
