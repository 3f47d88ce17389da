import assert from 'node:assert/strict'
import test from 'node:test'
import { layout as defineLayout, layoutOf, layouts } from './layouts.ts'
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
  test(`the layout ${name} is as it is described`, () => {
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

test('the size of a custom agent decides its placement, and in onyx it is next to the newest message', () => {
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
  const message = /^RangeError: Unknown layout "(onix|toString)"\. Choose one of auto, chai, ayati, onyx, deepchat\.$/
  assert.throws(() => layoutOf('onix'), message)
  assert.throws(() => layoutOf({ extends: 'toString' }), message)
})

test('a layer that the layout does not know is rejected, unless it has a placement', () => {
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

test('a layout of your own is completed from the one it extends', () => {
  const own = defineLayout({
    name: 'own',
    extends: 'onyx',
    placements: { weather: 'system', project: 'preamble' },
    priorities: { weather: 'low' },
    cut: { lowWater: 0.7 },
    skills: { summaries: false },
    memory: { isUsual: true },
  })
  const { onyx } = layouts
  assert.deepEqual(own, {
    ...onyx,
    name: 'own',
    placements: { ...onyx!.placements, weather: 'system', project: 'preamble' },
    priorities: { ...onyx!.priorities, weather: 'low' },
    cut: { unit: 'message', lowWater: 0.7 },
    skills: { ...onyx!.skills, summaries: false },
    memory: { ...onyx!.memory, isUsual: true },
  })
  assert.deepEqual(Object.keys(own.placements).slice(0, 3), ['weather', 'project', 'system-prompt'])
  assert.deepEqual(defineLayout({ name: 'plain' }), { ...layouts['auto'], name: 'plain' })
  assert.equal(defineLayout({ name: 'second', extends: own }).cut.lowWater, 0.7)
})

test('a layout that no request can be made with is refused, field by field', () => {
  const wrong = { project: 'above' } as unknown as Record<string, 'system'>
  assert.throws(() => defineLayout({ name: 'own', placements: wrong, headShare: 2, cut: { lowWater: -1 } }), {
    name: 'RangeError',
    message: [
      'layout.headShare is 2; it must be a share from 0 to 1.',
      'layout.cut.lowWater is -1; it must be a share from 0 to 1.',
      'layout.placements.project is "above"; choose one of system, preamble, before-input, after-input.',
    ].join('\n'),
  })
  assert.throws(() => defineLayout({ name: 'own', extends: 'onix' }), /Unknown layout "onix"/)
  assert.throws(
    () => defineLayout({ name: 'own', priorities: { weather: 'low' } }),
    /^RangeError: layout\.priorities\.weather: no layer is named "weather"\./,
  )
})

test('a whole layout is a choice like a name, and a list of known ones can be given', () => {
  const own = defineLayout({ name: 'own', headShare: 0.4 })
  assert.equal(layoutOf(own), own)
  assert.deepEqual(layoutOf(JSON.parse(JSON.stringify(own))), own)
  const known = { ...layouts, own }
  assert.equal(layoutOf('own', known), own)
  assert.equal(layoutOf({ extends: 'own', headShare: 0.3 }, known).name, 'own+')
  assert.throws(() => layoutOf('other', known), /Choose one of auto, chai, ayati, onyx, deepchat, own\.$/)
})
