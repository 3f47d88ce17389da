import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assemble } from './assemble.ts'
import type { AssemblyInput } from './assembly-input.ts'
import { layoutOf } from './layouts.ts'
import type { Message } from './message.ts'
import { chars } from './token-counter.ts'

test('marks of a layout that shrank its history mean the same to one that does not, however much of the history was loaded', () => {
  const input = movedToAnotherLayout()
  const whole = assemble(input)
  const partial = assemble({ ...input, history: input.history.slice(1), earlier: { turns: 1, tokens: 20 } })
  assert.deepEqual(partial.request, whole.request)
  assert.deepEqual(partial.manifest.cut, whole.manifest.cut)
})

/** The newest turn alone does not fit, so a loader stops there. Its results were excerpts before the layout was changed. */
function movedToAnotherLayout(): AssemblyInput {
  const long = 'The weather was fine. '.repeat(300)
  const called = (id: string): readonly Message[] => [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'search', input: {} }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: id, toolName: 'search', output: { type: 'text', value: long } }],
    },
  ]
  const said = (text: string): Message => ({ role: 'user', content: text })
  const turn = (id: string, messages: readonly Message[]) => ({
    id,
    messages: messages.map((message) => ({ message })),
  })
  return {
    layout: layoutOf({ extends: 'deepchat', cut: { unit: 'message', lowWater: 1 } }),
    layers: [],
    history: [
      turn('t1', [said('Hello.'), { role: 'assistant', content: 'Hello.' }]),
      turn('t2', [
        said('How is it? '.repeat(700)),
        ...called('c1'),
        ...called('c2'),
        { role: 'assistant', content: 'Fine.' },
      ]),
    ],
    current: turn('t3', [said('And now?')]),
    counter: chars,
    budget: { window: 6_000, reserve: 0 },
    cut: { excerptBefore: 't2/6' },
  }
}
