import assert from 'node:assert/strict'
import test from 'node:test'
import { assemble, type Assembly } from './assemble.ts'
import type { AssemblyInput } from './assembly-input.ts'
import { compare, compareText } from './compare.ts'
import type { Layer } from './layer.ts'
import { layoutOf } from './layouts.ts'
import type { Message } from './message.ts'
import { declared } from './token-counter.ts'
import type { Turn } from './turn.ts'

function turn(id: string, ...texts: readonly string[]): Turn {
  return {
    id,
    messages: texts.map((content, index) => ({
      message: { role: index % 2 === 0 ? 'user' : 'assistant', content } as Message,
      tokens: 10,
    })),
  }
}

function layer(id: string, placement: Layer['placement'] & string, text = id): Layer {
  return {
    id,
    layer: id,
    placement,
    renditions: [
      { form: 'full', text, tokens: 100 },
      { form: 'list', text: `${text} list`, tokens: 20 },
    ],
  }
}

function call(input: Partial<AssemblyInput>): Assembly {
  return assemble({
    layout: layoutOf('auto'),
    layers: [layer('soul', 'system'), layer('skills', 'system')],
    history: [turn('t1', 'U1', 'A1')],
    current: turn('t2', 'U2'),
    budget: { window: 1000, reserve: 0 },
    counter: declared,
    ...input,
  })
}

/** What two calls differ in, as text, by pieces and by manifests alone. */
function difference(before: Assembly, after: Assembly): string {
  const text = compareText(compare(before, after))
  const byManifest = compareText(compare({ manifest: before.manifest }, { manifest: after.manifest }))
  assert.equal(lines(byManifest).slice(1).join('\n'), lines(text).slice(1).join('\n'))
  return text
}

function lines(text: string): readonly string[] {
  return text.split('\n')
}

test('two calls that are the same have no difference', () => {
  assert.equal(
    difference(call({}), call({})),
    'common beginning: 230 tokens\nno difference: the two requests are the same',
  )
})

test('the next step of a turn only adds messages after the previous one', () => {
  const current = turn('t2', 'U2', 'A2', 'U2b')
  const comparison = compare(call({}), call({ current }))
  assert.deepEqual(comparison.commonPrefix, { tokens: 230, pieces: 5 })
  assert.deepEqual(comparison.firstDifference, { id: 't2', slot: 'input', cause: 'grew' })
  assert.deepEqual(compare(call({ current }), call({})).firstDifference, { id: 't2', slot: 'input', cause: 'shrank' })
})

test('the next turn: what was input is history, and the prompt up to it is reused', () => {
  const after = call({ history: [turn('t1', 'U1', 'A1'), turn('t2', 'U2', 'A2')], current: turn('t3', 'U3') })
  assert.equal(
    compareText(compare(call({}), after)),
    [
      'common beginning: 230 tokens',
      'first difference: history t2 (the later call goes on from here)',
      '+ input t3',
      '> history t2 (from input)',
      '* history t2 (content)',
    ].join('\n'),
  )
})

test('a layer that comes, and one that goes', () => {
  const less = call({ layers: [layer('soul', 'system')] })
  assert.equal(
    difference(less, call({})),
    'common beginning: 100 tokens\nfirst difference: system skills (added)\n+ system skills',
  )
  assert.equal(
    difference(call({}), less),
    'common beginning: 100 tokens\nfirst difference: system skills (removed)\n- system skills',
  )
})

test('a layer that moves to another slot, and layers that change places', () => {
  const layers = [layer('soul', 'system'), layer('skills', 'preamble')]
  assert.equal(
    difference(
      call({}),
      call({ layers: layers.map((one) => ({ ...one, placement: one.id === 'soul' ? 'before-input' : 'system' })) }),
    ),
    ['common beginning: 0 tokens', 'first difference: system skills (moved)', '> before-input soul (from system)'].join(
      '\n',
    ),
  )
  // Names that the layout does not know stand as they were declared.
  const asDeclared = (...names: readonly string[]) => call({ layers: names.map((name) => layer(name, 'system')) })
  const turned = compare(asDeclared('one', 'other'), asDeclared('other', 'one'))
  assert.deepEqual(turned.moved, [{ id: 'other', slot: 'system', from: 'system' }])
  assert.equal(turned.firstDifference?.cause, 'moved')
})

test('a layer that changed its form', () => {
  const short = call({ budget: { window: 290, reserve: 0 } })
  assert.equal(
    difference(call({}), short),
    [
      'common beginning: 100 tokens',
      'first difference: system skills (another form)',
      '~ system skills (full -> list)',
    ].join('\n'),
  )
})

test('a layer that says something else at the same cost is seen by its pieces', () => {
  const other = call({ layers: [layer('soul', 'system'), layer('skills', 'system', 'SKILLS')] })
  assert.equal(
    compareText(compare(call({}), other)),
    [
      'common beginning: 100 tokens',
      'first difference: system skills (other content)',
      '* system skills (content)',
    ].join('\n'),
  )
  const digest = (text: string) => ({
    manifest: {
      ...call({}).manifest,
      entries: call({}).manifest.entries.map((entry) => ({ ...entry, digest: `${text}${entry.id}` })),
    },
  })
  assert.equal(compare(digest('a'), digest('b')).changedContent.length, 4)
  assert.equal(compare(digest('a'), digest('a')).firstDifference, undefined)
})

test('of layers that share the last message, only the one that changed is named', () => {
  const tail = (reminder: string) => {
    const layers = [layer('advice', 'after-input'), layer('reminder', 'after-input', reminder)]
    return call({ layers: layers.map((one) => ({ ...one, renditions: one.renditions.slice(0, 1) })) })
  }
  const comparison = compare(tail('Now.'), tail('Soon.'))
  assert.deepEqual(comparison.changedContent, [{ id: 'reminder', slot: 'after-input' }])
  assert.deepEqual(comparison.commonPrefix, { tokens: 30, pieces: 3 })
})

test('a cut is the end of the common beginning', () => {
  const history = [turn('t1', 'U1', 'A1'), turn('t2', 'U2', 'A2'), turn('t3', 'U3', 'A3')]
  const before = call({ history, current: turn('t4', 'U4') })
  const after = call({ history, current: turn('t4', 'U4'), cut: { dropBefore: 't3' } })
  assert.equal(
    difference(before, after),
    ['common beginning: 200 tokens', 'first difference: history t1 (removed)', '- history t1', '- history t2'].join(
      '\n',
    ),
  )
})

test('a tool and a layer of the same name are two things', () => {
  const tools = [{ name: 'skills', inputSchema: { type: 'object' }, tokens: 5 }]
  assert.equal(
    difference(call({}), call({ tools })),
    ['common beginning: 0 tokens', 'first difference: tools skills (added)', '+ tools skills'].join('\n'),
  )
  const other = compare(call({ tools }), call({ tools: [{ ...tools[0]!, description: 'Lists.' }] }))
  assert.deepEqual(other.changedContent, [{ id: 'skills', slot: 'tools' }])
  assert.deepEqual(other.firstDifference, { id: 'skills', slot: 'tools', cause: 'content' })
})

test('a first call has everything new', () => {
  const nothing = { manifest: { ...call({}).manifest, entries: [] }, pieces: [] }
  const comparison = compare(nothing, call({}))
  assert.equal(comparison.came.length, 4)
  assert.deepEqual(comparison.firstDifference, { id: 'soul', slot: 'system', cause: 'grew' })
  assert.deepEqual(comparison.commonPrefix, { tokens: 0, pieces: 0 })
})

test('a name stands in the place of an id, of the call that has it, and turns that follow each other are one line', () => {
  const history = ['a', 'b', 'c', 'd'].map((id) => turn(id, id))
  const comparison = compare(call({ history }), call({ history: history.slice(3) }))
  const names = { earlier: new Map(['a', 'b', 'c'].map((id, index) => [id, `turn ${index + 1}`])), later: new Map() }
  const text = compareText(comparison, ({ id }, which) => names[which].get(id) ?? id)
  assert.equal(
    text,
    ['common beginning: 200 tokens', 'first difference: history turn 1 (removed)', '- history turns 1 to 3'].join('\n'),
  )
  assert.match(compareText(comparison), /- history a\n- history b\n- history c$/)
})
