import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import test from 'node:test'
import {
  assemble,
  type AssemblyInput,
  chars,
  charsPerFour,
  layoutOf,
  type Manifest,
  outline,
  type ToolDefinition,
} from '../src/context.ts'
import { forAll, forAllTried, outcomeOf } from './arbitrary/for-all.ts'
import { inputs, shortInputs } from './arbitrary/inputs.ts'

test('a tool is offered exactly where what it reads was announced', () => {
  const went = { offered: 0, held: 0 }
  forAllTried(
    { tried: () => Math.min(went.offered, went.held), least: 30 },
    conditionalInputs(),
    (input) => {
      const { manifest, assembly } = outcomeOf(input)
      const listed = manifest.entries.filter(({ slot }) => slot === 'tools').map(({ id }) => id)
      const wanted = input.tools!.filter((tool) => isAnnounced(tool, manifest)).map(({ name }) => name)
      assert.deepEqual(listed, wanted, outline(manifest))
      if (!assembly) return
      assert.deepEqual(
        assembly.request.tools.map(({ name }) => name),
        wanted,
      )
      for (const tool of assembly.request.tools) assert.equal('offeredWith' in tool, false)
      went.offered += wanted.filter((name) => name.startsWith('read_')).length
      went.held += input.tools!.length - wanted.length
    },
    1200,
  )
})

test('a request with conditional tools is within its budget, or the overflow is one without them too', () => {
  forAll(conditionalInputs(), (input) => {
    const { manifest, assembly } = outcomeOf(input)
    assert.equal(manifest.used <= manifest.budget.available, assembly !== undefined, outline(manifest))
  })
})

test('the tools are the same whatever is said behind the head, short of a shortage', () => {
  forAll(fc.tuple(conditionalInputs(), inputs()), ([one, other]) => {
    const first = outcomeOf(one)
    const second = outcomeOf({
      ...one,
      history: other.history,
      current: other.current,
      attachments: other.attachments ?? [],
    })
    if (!first.assembly || !second.assembly) return
    if ([first, second].some(({ manifest }) => manifest.entries.some(({ reason }) => reason?.code === 'shortage')))
      return
    assert.deepEqual(second.assembly.request.tools, first.assembly.request.tools)
    assert.deepEqual(second.assembly.request.system, first.assembly.request.system)
  })
})

test('what was decided about a tool is what a call without conditions says, byte for byte', () => {
  let went = 0
  forAllTried({ tried: () => went, least: 100 }, conditionalInputs(), (input) => {
    const { assembly } = outcomeOf(input)
    if (!assembly) return
    assert.deepEqual(assemble(input), assembly)
    // Only the tools that were offered, and nothing of why.
    const offered = new Set(assembly.request.tools.map(({ name }) => name))
    const tools = input.tools!.filter(({ name }) => offered.has(name)).map(unconditional)
    const plain = outcomeOf({ ...input, tools }).assembly
    if (!plain || JSON.stringify(formsOf(plain.manifest)) !== JSON.stringify(formsOf(assembly.manifest))) return
    went += 1
    assert.deepEqual(plain.request, assembly.request)
    assert.deepEqual(plain.manifest.entries, assembly.manifest.entries)
  })
})

test('a list that costs more with its reader than the whole text is not used', () => {
  const list = { form: 'list', text: 'x'.repeat(40) }
  const input: AssemblyInput = {
    layout: { ...layoutOf('auto'), headShare: 0.5 },
    layers: [{ id: 'skills', layer: 'skills', renditions: [{ form: 'full', text: 'x'.repeat(120) }, list] }],
    history: [],
    current: { id: 't1', messages: [{ message: { role: 'user', content: 'Hello' } }] },
    tools: [{ name: 'read_skill', inputSchema: {}, tokens: 50, offeredWith: { layer: 'skills', form: 'list' } }],
    budget: { window: 100, reserve: 0 },
    counter: charsPerFour,
  }
  const at = (window: number, tools = input.tools!) => {
    const { entries } = assemble({ ...input, tools, budget: { window, reserve: 0 } }).manifest
    return entries.filter(({ layer }) => layer !== 'turn').map(({ id, form }) => `${id} ${form}`)
  }
  assert.deepEqual(at(100), ['skills full'])
  assert.deepEqual(at(50), ['skills undefined'])
  assert.deepEqual(at(50, [{ ...input.tools![0]!, tokens: 4 }]), ['read_skill full', 'skills list'])
})

test('a tool that several layers bring along is counted once', () => {
  const text = (id: string) => ({ id, layer: 'skills', renditions: [{ form: 'full', text: 'x'.repeat(10) }] })
  const { manifest } = assemble({
    layout: { ...layoutOf('auto'), headShare: 1 },
    layers: [text('a'), text('b')],
    history: [],
    current: { id: 't1', messages: [{ message: { role: 'user', content: 'x'.repeat(55) } }] },
    tools: [{ name: 'read', inputSchema: {}, tokens: 50, offeredWith: { layer: 'skills', form: 'full' } }],
    budget: { window: 125, reserve: 0 },
    counter: chars,
  })
  assert.deepEqual([manifest.used, manifest.entries.filter(({ reason }) => reason)], [125, []])
})

function unconditional(tool: ToolDefinition): ToolDefinition {
  const { offeredWith, ...always } = tool
  return offeredWith ? always : tool
}

function formsOf({ entries }: Manifest) {
  return entries.map(({ id, layer, form, reason }) => [id, layer, form, reason?.code])
}

function isAnnounced({ offeredWith }: ToolDefinition, { entries }: Manifest): boolean {
  if (!offeredWith) return true
  return entries.some(
    ({ layer, form, outcome }) =>
      outcome !== 'omitted' &&
      layer === offeredWith.layer &&
      (form === offeredWith.form || form!.startsWith(`${offeredWith.form}-`)),
  )
}

/** Inputs in which tools wait for a form of some of the layers, of a layer that is not there, and for nothing. */
function conditionalInputs(): fc.Arbitrary<AssemblyInput> {
  const condition = fc.tuple(fc.nat(9), fc.constantFrom('full', 'excerpt', 'list'), fc.constantFrom(undefined, 5, 60))
  return fc
    .tuple(fc.oneof(inputs(), shortInputs()), fc.array(condition, { minLength: 1, maxLength: 3 }))
    .map(([input, conditions]) => {
      const waiting = conditions.map(([at, form, tokens], index): ToolDefinition => ({
        name: `read_${index + 1}`,
        inputSchema: { type: 'object' },
        ...(tokens === undefined ? {} : { tokens }),
        offeredWith: { layer: input.layers[at]?.layer ?? 'nowhere', form },
      }))
      const layers = input.layers.map((layer, at) => (at % 2 === 0 ? layer : { ...layer, renditions: renamed(layer) }))
      return { ...input, layers, tools: [...(input.tools ?? []), ...waiting] }
    })
}

/** A smallest form that is named after another: `list-names`. */
function renamed({ renditions }: AssemblyInput['layers'][number]) {
  return renditions.map((one) => (one.form === 'list' ? { ...one, form: 'list-names' } : one))
}
