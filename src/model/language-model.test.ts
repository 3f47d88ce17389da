import assert from 'node:assert/strict'
import test from 'node:test'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { fromLanguageModel, type StreamingModel } from './language-model.ts'
import { systemClock } from '../platform.ts'

const facts = {
  window: 1000,
  maxOutput: 100,
  tools: false,
  vision: false,
  reasoning: false,
  toolChoiceNone: false,
  source: 'catalog',
} as const

/** A provider whose whole answer is there at once. */
function answering(words: readonly string[]): StreamingModel {
  const parts: readonly LanguageModelV4StreamPart[] = [
    { type: 'text-start', id: 't' },
    ...words.map((delta) => ({ type: 'text-delta', id: 't', delta }) as const),
    { type: 'text-end', id: 't' },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
    },
  ]
  return { doStream: async () => ({ stream: ReadableStream.from(parts) }) }
}

test('a long answer that arrives at once does not block other work', async () => {
  const model = fromLanguageModel({
    clock: systemClock,
    id: 'p/m',
    facts,
    open: () => answering(Array.from({ length: 20 }, () => 'word ')),
  })
  const order: string[] = []
  const request = { messages: [{ role: 'user' as const, content: 'hi' }], tools: [] }
  setImmediate(() => order.push('somebody else'))
  for await (const event of model.call(request, { signal: new AbortController().signal })) {
    order.push(event.type)
    // The consumer is slow with each word.
    const until = performance.now() + 12
    while (performance.now() < until);
  }
  const others = order.indexOf('somebody else')
  assert.ok(others > -1 && others < order.indexOf('finish'), order.join())
  assert.equal(order.filter((type) => type === 'text-delta').length, 20)
})
