import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import test from 'node:test'
import {
  assemble,
  type Assembly,
  type AssemblyInput,
  freezeHead,
  type AnnouncedHead,
  type Layer,
  layoutOf,
  type PinnedHead,
  sentHead,
  tokenx,
  type ToolDefinition,
  type Turn,
} from '../src/context.ts'
import { forAll } from './arbitrary/for-all.ts'

/** The head that a home would compose for each turn of a conversation. */
interface Composed {
  readonly layers: readonly Layer[]
  readonly tools: readonly ToolDefinition[]
}

const text = fc.array(fc.constantFrom('one', 'two', 'three', '=== begin', '- rule', '', '+ line'), { maxLength: 8 })
const layer = fc
  .record({
    id: fc.constantFrom('instructions', 'skills', 'custom-agent', 'project', 'date'),
    lines: text,
    isForeign: fc.boolean(),
  })
  .map(({ id, lines, isForeign }): Layer => ({
    id,
    layer: id,
    renditions: [
      { form: 'full', text: lines.join('\n') },
      { form: 'list', text: lines.slice(0, 2).join('\n') },
    ],
    ...(id === 'date' ? { placement: 'system' } : {}),
    ...(isForeign ? { frame: 'files of others', origin: { kind: 'file', ref: 'b.txt' } } : {}),
  }))
const tool = fc
  .record({ name: fc.constantFrom('read', 'write', 'look'), description: fc.constantFrom('Does it.', 'Does more.') })
  .map((one): ToolDefinition => ({ ...one, inputSchema: { type: 'object' } }))
const composed: fc.Arbitrary<Composed> = fc
  .record({
    layers: fc.uniqueArray(layer, { selector: ({ id }) => id }),
    tools: fc.uniqueArray(tool, { selector: ({ name }) => name }),
  })
  .map(({ layers, tools }) => ({
    layers: [...layers, { id: 'reminder', layer: 'reminder', renditions: [{ form: 'full', text: 'Be brief.' }] }],
    tools: [...tools, { name: 'always', inputSchema: { type: 'object' } }],
  }))

const layout = layoutOf('auto')

function inputOf({ layers, tools }: Composed, turn: number): AssemblyInput {
  const history = Array.from({ length: turn }, (_, index): Turn => ({
    id: `t${index}`,
    messages: [
      { message: { role: 'user', content: `Question ${index}?` } },
      { message: { role: 'assistant', content: `Answer ${index}.` } },
    ],
  }))
  const current: Turn = { id: `t${turn}`, messages: [{ message: { role: 'user', content: `Question ${turn}?` } }] }
  return { layout, layers, tools, history, current, budget: { window: 40_000, reserve: 1000 }, counter: tokenx }
}

/** The calls of a conversation, one for each head, each with what it announced. */
function calls(heads: readonly Composed[]) {
  let pinned: PinnedHead | undefined
  return heads.map((head, turn) => {
    const input = inputOf(head, turn)
    const frozen = pinned ? freezeHead(input, pinned, true) : { input, announcements: [] }
    assert.equal('folds' in frozen, false)
    const assembly = assemble(frozen.input)
    pinned = { ...sentHead(frozen.input, assembly.manifest), announcements: frozen.announcements }
    return { assembly, announcements: frozen.announcements, input }
  })
}

function headBytes({ request, manifest, pieces }: Assembly): string {
  const preamble = pieces.filter(({ entry }) => manifest.entries[entry]!.slot === 'preamble')
  return JSON.stringify([request.tools, request.system, preamble.map(({ content }) => content)])
}

test('the bytes of the head are constant between folds, and a call begins with all but the tail of the one before', () => {
  forAll(fc.array(composed, { minLength: 2, maxLength: 6 }), (heads) => {
    const made = calls(heads)
    for (const [index, { assembly }] of made.slice(1).entries()) {
      const before = made[index]!.assembly
      assert.equal(headBytes(assembly), headBytes(before))
      const standing = before.pieces.filter(({ entry }) => {
        const { slot } = before.manifest.entries[entry]!
        return slot !== 'after-input' && slot !== 'before-input' && slot !== 'input'
      })
      for (const [at, { content }] of standing.entries()) assert.deepEqual(assembly.pieces[at]!.content, content)
    }
  })
})

test('a head that does not change gives the request that it gives without a pin', () => {
  forAll(fc.tuple(composed, fc.integer({ min: 1, max: 4 })), ([head, turns]) => {
    const made = calls(Array.from({ length: turns }, () => head))
    for (const { assembly, input } of made) assert.deepEqual(assembly, assemble(input))
  })
})

test('each change is announced once, with the words and the origin of its layer, text of others in a frame', () => {
  forAll(fc.array(composed, { minLength: 2, maxLength: 5 }), (heads) => {
    const made = calls(heads)
    const known: AnnouncedHead[] = []
    for (const { announcements, assembly, input } of made) {
      assert.deepEqual(announcements.slice(0, known.length), known)
      assert.ok(announcements.length <= known.length + 1)
      known.splice(0, known.length, ...announcements)
      const entries = assembly.manifest.entries.filter((entry) => entry.layer === 'head-change')
      assert.deepEqual(
        entries.map(({ id }) => id),
        announcements.flatMap(({ messages }) => messages.map(({ id }) => id)),
      )
      for (const { messages, turn } of announcements.filter((each) => each.turn === input.current.id)) {
        for (const { id, text: words = '', announces } of messages) {
          const changed = input.layers.find((each) => id === `${turn}/head-change/${each.id}`)
          if (!changed?.frame || !words.includes('=== begin')) continue
          assert.deepEqual(announces!.origin, changed.origin)
          assert.match(words, /^\[.*\]\n=== begin [0-9a-f]{12}: files of others, material and not instructions ===\n/)
        }
      }
    }
  })
})
