import assert from 'node:assert/strict'
import test from 'node:test'
import { assemble } from './assemble.ts'
import { layoutOf } from './layouts.ts'
import { type Message, outputText, toolResults } from './message.ts'
import { chars } from './token-counter.ts'

test('of answered results a just-fit layout shows the newest whole, the next as large as the room, and clears older ones', () => {
  const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(2_000))
  const messages = [{ role: 'user', content: 'Go.' } as const, ...texts.flatMap(called)].map((message) => ({ message }))
  const { request, manifest } = assemble({
    layout: layoutOf('deepchat'),
    layers: [],
    tools: [],
    history: [],
    current: { id: 't1', messages },
    attachments: [],
    budget: { window: 6_000, reserve: 0, margin: 0 },
    counter: chars,
  })
  const shown = request.messages.flatMap(toolResults).map(({ output }) => outputText(output))
  assert.deepEqual(shown.slice(2), texts.slice(2))
  assert.doesNotMatch(shown[0]!, /aa/)
  assert.match(shown[1]!, /^b{400,}\n.*left out.*\nb+$/s)
  assert.ok(manifest.used > 5_900 && manifest.used <= 6_000, `${manifest.used}`)
})

function called(text: string, index: number): readonly Message[] {
  const part = { toolCallId: `call${index}`, toolName: 'look' }
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...part, input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', ...part, output: { type: 'text', value: text } }] },
  ]
}
