import assert from 'node:assert/strict'
import test from 'node:test'
import { assemble } from './assemble.ts'
import type { AssemblyInput } from './assembly-input.ts'
import type { Layer } from './layer.ts'
import { layoutOf } from './layouts.ts'
import { declared } from './token-counter.ts'

const valid: AssemblyInput = {
  layout: layoutOf('auto'),
  layers: [layer({ id: 'a' })],
  history: [{ id: 't1', messages: [] }],
  current: { id: 't2', messages: [{ message: { role: 'user', content: 'hi' }, tokens: 1 }] },
  budget: { window: 100, reserve: 0 },
  counter: declared,
}

function layer(changes: object): Layer {
  return { id: 'x', layer: 'soul', renditions: [{ form: 'full', text: 'x', tokens: 1 }], ...changes }
}

/** An input with a fault, and what the error says of it. */
const faults: Readonly<Record<string, readonly [object, RegExp]>> = {
  'a window that is no number': [
    { budget: { window: Number.NaN, reserve: 0 } },
    /^budget\.window is NaN; it must be a number, 0 or more\.$/,
  ],
  'a window without end': [{ budget: { window: Infinity, reserve: 0 } }, /^budget\.window is Infinity;/],
  'a window as text': [{ budget: { window: '100', reserve: 0 } }, /^budget\.window is 100;/],
  'no reserve': [{ budget: { window: 100 } }, /^budget\.reserve is undefined;/],
  'a margin below zero': [{ budget: { window: 100, reserve: 0, margin: -1 } }, /^budget\.margin is -1;/],
  'a cost that is no number': [
    { current: { id: 't2', messages: [{ message: { role: 'user', content: '' }, tokens: Number.NaN }] } },
    /^current\.messages\[0\]\.tokens is NaN;/,
  ],
  'a rendition below zero': [
    { layers: [layer({ renditions: [{ form: 'full', text: 'x', tokens: -3 }] })] },
    /^layers\[0\]\.renditions\[0\]\.tokens is -3;/,
  ],
  'an unknown placement': [
    { layers: [layer({ placement: 'sistem' })] },
    /^layers\[0\]\.placement of "x" is "sistem"; choose one of system, preamble, before-input, after-input\.$/,
  ],
  'an unknown priority': [
    { layers: [layer({ priority: 'urgent' })] },
    /^layers\[0\]\.priority of "x" is "urgent"; choose one of low, /,
  ],
  'an unknown placement in the layout': [
    { layout: layoutOf({ extends: 'auto', placements: { soul: 'top' as never } }) },
    /^layout\.placements\.soul is "top"; choose one of /,
  ],
  'a misspelt name in the priorities': [
    { layout: layoutOf({ extends: 'auto', priorities: { instrucitons: 'low' } }) },
    /^layout\.priorities\.instrucitons: no layer is named "instrucitons"\. The layout knows system-prompt, /,
  ],
  'an unknown priority in the layout': [
    { layout: layoutOf({ extends: 'auto', priorities: { soul: 'urgent' as never } }) },
    /^layout\.priorities\.soul is "urgent";/,
  ],
  'a share above 1': [
    { layout: layoutOf({ extends: 'auto', headShare: 7 }) },
    /^layout\.headShare is 7; it must be a share from 0 to 1\.$/,
  ],
  'a share that is no number': [
    { layout: layoutOf({ extends: 'auto', cut: { lowWater: Number.NaN } }) },
    /^layout\.cut\.lowWater is NaN;/,
  ],
  'an unknown unit': [
    { layout: layoutOf({ extends: 'auto', cut: { unit: 'word' as never } }) },
    /^layout\.cut\.unit is "word"; choose one of turn, message\.$/,
  ],
  'two layers of one id': [
    { layers: [layer({ id: 'a' }), layer({ id: 'b' }), layer({ id: 'a' })] },
    /^layers\[2\]\.id is "a", as layers\[0\]\.id is; each must be unique\.$/,
  ],
  'a file with the id of a layer': [
    { attachments: [{ turn: 't1', id: 'a', name: 'a.txt', text: 'x' }] },
    /^attachments\[0\]\.id is "a", as layers\[0\]\.id is;/,
  ],
  'two turns of one id': [{ history: [{ id: 't2', messages: [] }] }, /^current\.id is "t2", as history\[0\]\.id is;/],
  'two tools of one name': [
    { tools: ['search', 'search'].map((name) => ({ name, inputSchema: {} })) },
    /^tools\[1\]\.name is "search", as tools\[0\]\.name is;/,
  ],
}

for (const [what, [changes, message]] of Object.entries(faults)) {
  test(`an input that no request can be made of names its field: ${what}`, () => {
    assert.throws(
      () => assemble({ ...valid, ...changes }),
      (error) => error instanceof RangeError && message.test(error.message),
    )
  })
}

test('every fault of an input is named at once', () => {
  assert.throws(
    () => assemble({ ...valid, budget: { window: -1, reserve: -2 } }),
    /budget\.window is -1; .*\nbudget\.reserve is -2; /,
  )
})

test('a layer of another name may have its priority in the layout', () => {
  const layout = layoutOf({ extends: 'auto', priorities: { weather: 'low' } })
  const { manifest } = assemble({ ...valid, layout, layers: [layer({ layer: 'weather', placement: 'system' })] })
  assert.equal(manifest.entries[0]?.outcome, 'included')
})
