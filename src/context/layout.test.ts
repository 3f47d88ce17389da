import assert from 'node:assert/strict'
import test from 'node:test'
import { layoutOf, layouts } from './layouts.ts'
import { placeLayer } from './placed-layer.ts'
import { chars, declared } from './token-counter.ts'

const names =
  'system-prompt instructions soul user-profile conversation memory skills tool-guidance citation-guidance custom-agent project subject reminder previous-session tool-history'

function placementIn(layout: string, layer: string, tokens = 10): string {
  const placed = { id: 'x', layer, renditions: [{ form: 'full', text: 'x', tokens }] }
  return placeLayer(placed, layoutOf(layout), declared).placement
}

test('every layout places every name', () => {
  for (const layout of Object.keys(layouts))
    for (const name of names.split(' ')) assert.ok(placementIn(layout, name), name)
})

/** The table of docs/guide/layouts.md. */
const table: readonly (readonly [string, string, string, string, number, number])[] = [
  ['auto', 'preamble', 'after-input', 'turn', 0.5, 0.6],
  ['chai', 'preamble', 'after-input', 'turn', 1, 1],
  ['ayati', 'preamble', 'after-input', 'turn', 1, 1],
  ['onyx', 'before-input', 'system', 'message', 1, 1],
  ['deepchat', 'preamble', 'after-input', 'message', 1, 1],
]

for (const [name, project, citations, unit, lowWater, headShare] of table) {
  test(`the layout ${name} stands as it is described`, () => {
    const layout = layoutOf(name)
    assert.equal(placementIn(name, 'project'), project)
    assert.equal(placementIn(name, 'citation-guidance'), citations)
    assert.equal(placementIn(name, 'system-prompt'), 'system')
    assert.equal(placementIn(name, 'reminder'), 'after-input')
    assert.deepEqual(layout.cut, { unit, lowWater })
    assert.equal(layout.headShare, headShare)
    assert.equal(layout.shrinks, name === 'auto')
  })
}

test('a custom agent stands by its size, and in onyx next to the newest message', () => {
  assert.equal(placementIn('auto', 'custom-agent', 255), 'before-input')
  assert.equal(placementIn('auto', 'custom-agent', 256), 'preamble')
  assert.equal(placementIn('onyx', 'custom-agent', 256), 'before-input')
})

test('a layout can be changed without losing the rest of it', () => {
  const changed = layoutOf({
    extends: 'onyx',
    placements: { project: 'preamble', weather: 'before-input' },
    priorities: { memory: 'low' },
    cut: { lowWater: 0.7 },
    headShare: 0.4,
  })
  assert.equal(changed.name, 'onyx+')
  assert.equal(changed.placements['project'], 'preamble')
  assert.equal(changed.placements['weather'], 'before-input')
  assert.equal(changed.placements['custom-agent'], 'before-input')
  assert.equal(changed.priorities['memory'], 'low')
  assert.deepEqual(changed.cut, { unit: 'message', lowWater: 0.7 })
  assert.equal(changed.headShare, 0.4)
  assert.equal(changed.shrinks, false)
  assert.equal(layoutOf({ extends: 'auto' }).headShare, 0.6)
})

test('a layout that does not exist is refused, and the ones there are named', () => {
  const message =
    /^RangeError: There is no layout "(onix|toString)"\. Choose one of auto, chai, ayati, onyx, deepchat\.$/
  assert.throws(() => layoutOf('onix'), message)
  assert.throws(() => layoutOf({ extends: 'toString' }), message)
})

test('a layer that the layout does not know is refused, unless it says where it stands', () => {
  const weather = { id: 'w', layer: 'weather', renditions: [{ form: 'full', text: 'Sunny' }] }
  const message =
    /^RangeError: Layer "w": the layout "auto" does not know the name "weather"\. Give the layer a placement, or use one of system-prompt, /
  assert.throws(() => placeLayer(weather, layoutOf('auto'), chars), message)
  assert.throws(
    () => placeLayer({ ...weather, layer: 'constructor' }, layoutOf('auto'), chars),
    /does not know the name/,
  )
  const placed = placeLayer({ ...weather, placement: 'preamble' }, layoutOf('auto'), chars)
  assert.deepEqual([placed.placement, placed.priority, placed.fullTokens], ['preamble', 'normal', 5])
})
