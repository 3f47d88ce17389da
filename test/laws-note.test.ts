import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { assemble, type AssemblyInput, chars, layoutOf, type Message } from '../src/context.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { soundInputs } from './arbitrary/inputs.ts'

/** How many turns or messages of the history a request holds. */
function keptIn(input: AssemblyInput): number {
  const { manifest } = outcomeOf(input)
  return manifest.entries.filter(
    ({ slot, layer, outcome }) => slot === 'history' && outcome !== 'omitted' && layer !== 'announcement',
  ).length
}

test('the note on files that are no longer shown never costs a turn that fits without it', () => {
  const many = fc.integer({ min: 0, max: 200 })
  forAll(fc.tuple(soundInputs(), many), ([input, count]) => {
    const [first] = input.history
    fc.pre(first !== undefined && input.cut === undefined && input.earlier === undefined)
    const attachments = Array.from({ length: count }, (_, index) => ({
      turn: first.id,
      id: `file-${index}`,
      name: `notes-${index}.txt`,
      text: 'The tide comes.',
    }))
    const tool = { name: 'look', inputSchema: {}, tokens: 12 }
    const withTool = (traits: object) => keptIn({ ...input, attachments, tools: [{ ...tool, ...traits }] })
    assert.ok(withTool({ reads: 'files' }) >= withTool({}))
  })
})

test('where single messages are cut, tool results shrink before messages go, as where turns are', () => {
  const turn = (number: number) => {
    const call = { toolCallId: `c${number}`, toolName: 'look' }
    const messages: readonly Message[] = [
      { role: 'user', content: 'And now?' },
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'x'.repeat(3000) } }] },
      { role: 'assistant', content: 'So.' },
    ]
    return { id: `t${number}`, messages: messages.map((message) => ({ message })) }
  }
  const { manifest } = assemble({
    layout: layoutOf({ extends: 'auto', cut: { unit: 'message' } }),
    layers: [],
    history: [1, 2, 3, 4].map(turn),
    current: { id: 't5', messages: [{ message: { role: 'user', content: 'And then?' } }] },
    budget: { window: 9000, reserve: 0 },
    counter: chars,
  })
  const history = manifest.entries.filter(({ slot }) => slot === 'history')
  assert.deepEqual(
    history.filter(({ outcome }) => outcome === 'omitted'),
    [],
  )
  assert.deepEqual(
    history.flatMap(({ id, form }) => (form === 'tool-output-cleared' ? [id] : [])),
    ['t1/3', 't2/3', 't3/3'],
  )
})
