import assert from 'node:assert/strict'
import test from 'node:test'
import type { Message } from './message.ts'
import { o200k } from './o200k.ts'
import {
  chars,
  charsPerFour,
  declared,
  messageTokens,
  rewrittenTokens,
  type TokenCounter,
  tokenx,
  toolTokens,
} from './token-counter.ts'

const counters = [declared, chars, charsPerFour, tokenx, o200k]

const messages: Readonly<Record<string, Message>> = {
  'a text': { role: 'user', content: 'Hello, world!' },
  nothing: { role: 'user', content: '' },
  'two texts, each rounded up': {
    role: 'user',
    content: [
      { type: 'text', text: 'Hello' },
      { type: 'text', text: 'world' },
    ],
  },
  reasoning: {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'I think.' },
      { type: 'text', text: 'Yes.' },
    ],
  },
  'a call: the JSON of its input': {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: { q: 'sun' } }],
  },
  'a call without input': {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: undefined }],
  },
  'a result': {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'text', value: 'Sunny' } }],
  },
  'a JSON result': {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'json', value: { sun: true } } },
    ],
  },
  'an approval': {
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: true }],
  },
  'an image of unknown size': { role: 'user', content: [{ type: 'image', image: 'aGk=' }] },
  'an image of 640 × 480': {
    role: 'user',
    content: [{ type: 'image', image: 'aGk=', providerOptions: { foreword: { width: 640, height: 480 } } }],
  },
  'an image file': { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'aGk=' }] },
  'another file: its name and its pages': {
    role: 'user',
    content: [{ type: 'file', mediaType: 'application/pdf', data: 'aGk=', filename: 'paper.pdf' }],
  },
  'a file that is text': {
    role: 'user',
    content: [{ type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'Hello, world!' } }],
  },
  'the signature of a reasoning': {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'I think.', providerOptions: { anthropic: { signature: 'EqQBCkYIBBABGAIq' } } },
    ],
  },
  'what only a provider can read': {
    role: 'assistant',
    content: [
      { type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { encrypted: 'Hello, world' } } },
    ],
  },
  'a file without a name': { role: 'user', content: [{ type: 'file', mediaType: 'application/pdf', data: 'aGk=' }] },
}

/** declared, chars, chars/4, tokenx, o200k. */
const expected: Readonly<Record<string, readonly number[]>> = {
  'a text': [0, 13, 4, 8, 8],
  nothing: [0, 0, 0, 4, 4],
  'two texts, each rounded up': [0, 10, 4, 6, 6],
  reasoning: [0, 12, 3, 9, 9],
  'a call: the JSON of its input': [0, 11, 3, 10, 10],
  'a call without input': [0, 0, 0, 5, 5],
  'a result': [0, 5, 2, 5, 5],
  'a JSON result': [0, 12, 3, 9, 9],
  'an approval': [0, 0, 0, 4, 4],
  'an image of unknown size': [0, 2336, 2336, 2340, 2340],
  'an image of 640 × 480': [0, 1232, 1232, 1236, 1236],
  'an image file': [0, 2336, 2336, 2340, 2340],
  'another file: its name and its pages': [0, 2345, 2339, 2343, 2342],
  'a file that is text': [0, 13, 4, 8, 8],
  'a file without a name': [0, 2336, 2336, 2340, 2340],
  'the signature of a reasoning': [0, 8, 2, 10, 16],
  'what only a provider can read': [0, 0, 0, 7, 7],
}

for (const [what, message] of Object.entries(messages)) {
  test(`every counter knows what it takes: ${what}`, () => {
    assert.deepEqual(
      counters.map((counter) => messageTokens(counter, message)),
      expected[what],
    )
  })
}

test('a tool costs the JSON of its definition, or what is said', () => {
  const tool = { name: 'search', description: 'Finds.', inputSchema: { type: 'object' } }
  assert.equal(JSON.stringify(tool).length, 72)
  assert.deepEqual(
    counters.map((counter) => toolTokens(counter, tool)),
    [0, 72, 18, 21, 21],
  )
  assert.deepEqual(
    counters.map((counter) => toolTokens(counter, { ...tool, tokens: 12 })),
    counters.map(() => 12),
  )
})

test('under declared, what the core makes itself costs a quarter of its characters, rounded up', () => {
  const cleared: Message = {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'c1', toolName: 'a', output: { type: 'text', value: 'x'.repeat(5) } },
      { type: 'tool-result', toolCallId: 'c2', toolName: 'a', output: { type: 'error-text', value: 'x'.repeat(8) } },
    ],
  }
  assert.deepEqual(
    [declared, chars, charsPerFour].map((counter) => rewrittenTokens(counter, cleared)),
    [4, 13, 4],
  )
})

test('the name and version of every counter are valid in a manifest', () => {
  const names = counters.map(({ id, version }: TokenCounter) => `${id}@${version}`)
  assert.deepEqual(names, ['declared@1', 'chars@2', 'chars/4@2', 'tokenx@4', 'o200k@5'])
})

test('o200k counts long texts in slices, never fewer than a whole, and takes special words as text', () => {
  assert.equal(o200k.text('x'.repeat(100_000)) >= 100_000 / 16, true)
  assert.equal(o200k.text('<|endoftext|>') > 1, true)
  assert.equal(o200k.text(''), 0)
})
