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

test('an end that its server calls otherwise is the end that it means', async () => {
  const ends = [
    ['STOP', 'stop'],
    ['end_turn', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['tool_use', 'tool-calls'],
    ['SAFETY', 'content-filter'],
    ['some_word', 'other'],
    ['abort', 'network'],
    ['error', 'network'],
  ] as const
  for (const [raw, meant] of ends) {
    const finish: LanguageModelV4StreamPart = {
      type: 'finish',
      finishReason: { unified: 'other', raw },
      usage: { inputTokens: { total: 0 }, outputTokens: { total: 0 } } as never,
    }
    const parts = [{ type: 'text-delta', id: 't', delta: 'At six.' } as const, finish]
    const open = () => ({ doStream: async () => ({ stream: ReadableStream.from(parts) }) })
    const model = fromLanguageModel({ clock: systemClock, id: 'p/m', facts, open })
    const request = { messages: [{ role: 'user' as const, content: 'hi' }], tools: [] }
    const events = await Array.fromAsync(model.call(request, { signal: new AbortController().signal })).catch(
      (error: unknown) => [error as { readonly code: string }],
    )
    const end = events.at(-1)!
    assert.equal('reason' in end ? end.reason : 'code' in end && end.code, meant, raw)
    if ('usage' in end) assert.equal(end.usage.promptTokens, undefined, 'a prompt of no tokens is no report')
  }
})
