import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyMessage } from './message.ts'
import { outline } from './outline.ts'
import { ContextOverflowError } from './overflow-error.ts'
import { charsPerFour } from './token-counter.ts'
import { verbatim } from './verbatim.ts'

const tools = [{ name: 'look', inputSchema: { type: 'object' } }]

/** What a layout would move, pair or leave out: it is left as it is. */
const messages: readonly AnyMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'assistant', content: 'Welcome.' },
  { role: 'user', content: 'One.' },
  { role: 'user', content: 'Two.' },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} }] },
  { role: 'system', content: 'In verse.' },
  { role: 'user', content: '' },
]

test('a request is sent as it is given, and every part of it is accounted for once', () => {
  const budget = { window: 100, reserve: 20 }
  const { request, manifest, pieces } = verbatim({ messages, tools, budget, counter: charsPerFour })
  assert.deepEqual(request, { tools, messages })
  assert.deepEqual(
    pieces.map(({ content }) => content),
    [...tools, ...messages],
  )
  assert.equal(
    pieces.reduce((sum, { tokens }) => sum + tokens, 0),
    manifest.used,
  )
  assert.equal(
    outline(manifest),
    [
      'window 100, reserve 20: used 23 of 80',
      'tools        look               full                     12     12  included',
      'system       caller-1           full                      3      3  included',
      'history      turn-1             full                      2      2  included',
      'history      turn-2             full                      6      6  included',
      'input        turn-3             full                      0      0  included',
    ].join('\n'),
  )
})

test('what does not fit is an overflow with its account, at the very token', () => {
  const room = (available: number) =>
    verbatim({ messages, tools, budget: { window: available + 7, reserve: 5, margin: 2 }, counter: charsPerFour })
  assert.equal(room(23).manifest.used, 23)
  assert.throws(
    () => room(22),
    (error) => error instanceof ContextOverflowError && error.manifest.used === 23,
  )
})
