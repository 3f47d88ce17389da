import assert from 'node:assert/strict'
import test from 'node:test'
import { assemble } from './assemble.ts'
import { layoutOf } from './layouts.ts'
import { type Message, toolCalls, toolResults } from './message.ts'
import { pairMessages } from './priced-turn.ts'
import { declared } from './token-counter.ts'

function calls(...ids: readonly string[]): Message {
  return {
    role: 'assistant',
    content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'search', input: {} })),
  }
}

function results(...ids: readonly string[]): Message {
  const output = { type: 'text' as const, value: 'TR' }
  return {
    role: 'tool',
    content: ids.map((toolCallId) => ({ type: 'tool-result', toolCallId, toolName: 'search', output })),
  }
}

const user: Message = { role: 'user', content: 'U' }

function idsOf(message: Message): string {
  const parts = [...toolCalls(message), ...toolResults(message)].map((part) => part.toolCallId)
  return `${message.role}:${parts.join(',')}`
}

/** What was said, what is left, what was taken out. */
const table: readonly (readonly [string, readonly Message[], string, string])[] = [
  ['a pair stays', [calls('a'), results('a')], 'assistant:a tool:a', ''],
  ['parallel calls stay, answered in any order', [calls('a', 'b'), results('b', 'a')], 'assistant:a,b tool:b,a', ''],
  ['results may come one by one', [calls('a', 'b'), results('a'), results('b')], 'assistant:a,b tool:a tool:b', ''],
  ['a call without its result goes', [calls('a', 'b'), results('b')], 'assistant:b tool:b', 'assistant:a'],
  ['a result without its call goes', [user, results('a')], 'user:', 'tool:a'],
  ['a second result goes', [calls('a'), results('a', 'a')], 'assistant:a tool:a', 'tool:a'],
  [
    'of two calls with one id the later is answered',
    [calls('a', 'a'), results('a')],
    'assistant:a tool:a',
    'assistant:a',
  ],
  [
    'an id may come again in a later step',
    [calls('a'), results('a'), calls('a'), results('a')],
    'assistant:a tool:a assistant:a tool:a',
    '',
  ],
  ['a result behind another message has no call', [calls('a'), user, results('a')], 'user:', 'assistant:a tool:a'],
  ['a call at the very end goes', [user, calls('a')], 'user:', 'assistant:a'],
]

for (const [name, messages, left, gone] of table) {
  test(name, () => {
    const paired = pairMessages(messages.map((message) => ({ message })))
    assert.equal(paired.messages.map(({ message }) => idsOf(message)).join(' '), left)
    assert.equal(paired.unpaired.map(({ message }) => idsOf(message)).join(' '), gone)
  })
}

test('a call that the provider answers itself needs no result message', () => {
  const message: Message = {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'p', toolName: 'web', input: {}, providerExecuted: true },
      { type: 'tool-result', toolCallId: 'p', toolName: 'web', output: { type: 'text', value: 'found' } },
    ],
  }
  assert.deepEqual(pairMessages([{ message }]), { messages: [{ message }], unpaired: [] })
})

test('a given token count applies to a reduced message and to a message that was taken out', () => {
  const { manifest } = assemble({
    layout: layoutOf('auto'),
    layers: [],
    history: [],
    current: {
      id: 't1',
      messages: [
        { message: user, tokens: 10 },
        { message: calls('a', 'b'), tokens: 30 },
        { message: results('b'), tokens: 20 },
        { message: results('c'), tokens: 7 },
      ],
    },
    budget: { window: 1000, reserve: 0 },
    counter: declared,
  })
  assert.equal(manifest.used, 10 + 30 + 20)
  assert.deepEqual(
    manifest.entries.map(({ id, tokens, fullTokens }) => [id, tokens, fullTokens]),
    [
      ['t1', 60, 60],
      ['t1/unpaired-1', 0, 0],
      ['t1/unpaired-2', 0, 7],
    ],
  )
})
