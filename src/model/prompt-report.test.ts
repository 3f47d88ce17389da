import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leastPromptTokens, promptReport } from './prompt-report.ts'

const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ')

test('a prompt costs at least a token for two words: of texts, and of nothing that a template may leave out', () => {
  const messages = [
    { role: 'user' as const, content: words(100) },
    { role: 'assistant' as const, content: [{ type: 'reasoning' as const, text: words(500) }] },
    {
      role: 'user' as const,
      content: [
        { type: 'text' as const, text: words(40) },
        { type: 'image' as const, image: 'aGk='.repeat(10_000) },
      ],
    },
  ]
  const tools = [{ name: 'search', description: words(900), inputSchema: { type: 'object' } }]
  const request = { tools, system: words(60), messages }
  assert.equal(leastPromptTokens(request, 'whole'), (60 + 100 + 40) / 2)
  assert.equal(leastPromptTokens(request, 'newest'), 20)
  const answered = [
    ...messages,
    { role: 'assistant' as const, content: words(8) },
    { role: 'user' as const, content: words(12) },
  ]
  const parts = (['whole', 'answered', 'newest'] as const).map((part) =>
    leastPromptTokens({ tools: [], messages: answered }, part),
  )
  assert.deepEqual(parts, [(100 + 40 + 8 + 12) / 2, (40 + 8 + 12) / 2, 6])
  assert.equal(leastPromptTokens({ tools: [], messages: messages.slice(0, 1) }, 'answered'), 50)
})

test('results of tools are words that were sent; scripts without spaces prove little and never too much', () => {
  const output = { type: 'content' as const, value: [{ type: 'text' as const, text: words(30) }] }
  const result = { type: 'tool-result' as const, toolCallId: 'c', toolName: 't', output }
  const messages = [
    { role: 'assistant' as const, content: 'Let me look.' },
    { role: 'tool' as const, content: [result] },
  ]
  assert.equal(leastPromptTokens({ tools: [], messages }, 'newest'), 15)
  const chinese = [{ role: 'user' as const, content: '今天天气很好'.repeat(100) }]
  assert.equal(leastPromptTokens({ tools: [], messages: chinese }, 'whole'), 0)
})

test('a counter that was measured is believed to seven tenths, and one that was not to four', () => {
  const figures = { expected: 10_000, fresh: 10_000 }
  const at = (reported: number, measured: boolean) => promptReport({ ...figures, reported, measured })
  assert.deepEqual([at(7000, true), at(6999, true)], ['whole', 'short'])
  assert.deepEqual([at(4000, false), at(3999, false)], ['whole', 'short'])
})

test('a figure that fits what was not sent before leaves out the cache', () => {
  const at = (reported: number, fresh = 1000) => promptReport({ expected: 10_000, fresh, reported, measured: true })
  assert.deepEqual([at(700), at(3024), at(3025)], ['uncached', 'uncached', 'short'])
  assert.deepEqual([at(699), at(256), at(255)], ['short', 'short', 'uncached'])
  assert.equal(at(1024, 0), 'uncached')
  // It would do for the whole prompt too, by a counter that is far off: nothing is learned from it.
  assert.deepEqual([at(7999, 6000), at(8000, 6000)], ['uncached', 'whole'])
})
