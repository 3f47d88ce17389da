import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { thinkingFilter } from './thinking.ts'

/** What becomes of an answer that arrives in pieces of so many characters. */
function divided(answer: string, size: number): { readonly reasoning: string; readonly text: string } {
  const divide = thinkingFilter()
  const pieces: LanguageModelV4StreamPart[] = [{ type: 'text-start', id: 't' }]
  for (let at = 0; at < answer.length; at += size) {
    pieces.push({ type: 'text-delta', id: 't', delta: answer.slice(at, at + size) })
  }
  const parts = [...pieces, { type: 'text-end', id: 't' } as const].flatMap(divide)
  const joined = (type: string) =>
    parts.map((part) => (part.type === type && 'delta' in part ? part.delta : '')).join('')
  return { reasoning: joined('reasoning-delta'), text: joined('text-delta') }
}

test('thinking at the beginning of an answer is reasoning, wherever the answer is cut', () => {
  for (let size = 1; size <= 40; size += 1) {
    for (const mark of ['think', 'thinking']) {
      const answer = `\n<${mark}>a < b, </t and so on</${mark}>\n\nAt six. </${mark}>`
      assert.deepEqual(divided(answer, size), { reasoning: 'a < b, </t and so on', text: `At six. </${mark}>` })
    }
    assert.deepEqual(divided('◁think▷plan◁/think▷At six.', size), { reasoning: 'plan', text: 'At six.' })
    assert.deepEqual(divided('<think>cut off</thi', size), { reasoning: 'cut off</thi', text: '' })
  }
})

test('every other text stays as it is', () => {
  for (const answer of [
    'The tag `<think>` opens it.',
    '<thin ice>',
    '<thi',
    ' <p>a</p>',
    '  ',
    '',
    '< think>a</think>',
  ]) {
    for (let size = 1; size <= 12; size += 1) assert.deepEqual(divided(answer, size), { reasoning: '', text: answer })
  }
})
