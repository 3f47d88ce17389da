import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { assemble, type AssemblyInput, declared, type ImageSupport, markImages, messageTokens } from '../src/context.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs } from './arbitrary/inputs.ts'

const support: fc.Arbitrary<ImageSupport> = fc.record({
  seen: fc.boolean(),
  inResults: fc.boolean(),
  byAddress: fc.boolean(),
})

const withSupport = fc.record({ input: inputs(), images: support }).map(({ input, images }) => ({ ...input, images }))

/** The same conversation, its counts left to the counter. */
function counted<T extends AssemblyInput>(input: T): T {
  const plain = (turn: AssemblyInput['current']) => ({
    ...turn,
    messages: turn.messages.map(({ message }) => ({ message })),
  })
  return { ...input, history: input.history.map(plain), current: plain(input.current) }
}

test('a request holds no image that cannot reach the model', () => {
  forAll(withSupport, (input) => {
    for (const message of outcomeOf(input).assembly?.request.messages ?? []) {
      assert.equal(markImages(message, input.images), undefined)
    }
  })
})

test('what a message is accounted at is what it costs as it is sent', () => {
  forAll(withSupport, (given) => {
    const input = counted(given)
    const { assembly } = outcomeOf(input)
    if (!assembly || input.counter === declared) return
    for (const { entry, tokens, content } of assembly.pieces) {
      if (typeof content === 'string' || !('role' in content)) continue
      const { slot, layer } = assembly.manifest.entries[entry]!
      if (layer === 'attachment' || !['history', 'input'].includes(slot)) continue
      assert.equal(tokens, messageTokens(input.counter, content))
    }
  })
})

test('a marker in the place of an image is in the account, with what the image would cost', () => {
  forAll(withSupport, (given) => {
    const input = counted(given)
    if (input.counter === declared) return
    const { manifest, assembly } = outcomeOf(input)
    if (!assembly) return
    for (const [index, { form, reason, tokens, fullTokens, outcome }] of manifest.entries.entries()) {
      const said: readonly string[] = assembly.pieces
        .filter(({ entry }) => entry === index)
        .map(({ content }) => JSON.stringify(content))
      const markers = said.join('').match(/\[image[^\]]*: this (?:model|provider) [^\]]*\]/g)?.length ?? 0
      const told = Number(reason?.['images'] ?? 0)
      // An excerpt of a tool result is words, whatever it begins or ends with.
      if (form?.startsWith('tool-output')) assert.ok(told <= markers)
      else assert.equal(told, markers)
      if (form !== 'image-marker') continue
      assert.equal(outcome, 'reduced')
      assert.ok(reason?.code === (input.images.seen ? 'wire-cannot-carry' : 'model-cannot-see'))
      assert.notEqual(tokens, fullTokens)
    }
  })
})

test('a model that every image reaches is sent what it is sent where nobody asks', () => {
  forAll(inputs(), (input) => {
    const all = { seen: true, inResults: true, byAddress: true }
    const { assembly } = outcomeOf(input)
    if (assembly) assert.deepEqual(assemble({ ...input, images: all }), assembly)
  })
})
