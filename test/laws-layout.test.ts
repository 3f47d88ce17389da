import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { type AssemblyInput, layoutOf, layouts, type ManifestEntry } from '../src/context.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs, wantedTokens, withRoom } from './arbitrary/inputs.ts'

/** The same input with layers and files in any other order; files of one turn keep theirs. */
function shuffled(): fc.Arbitrary<readonly [AssemblyInput, AssemblyInput]> {
  return inputs().chain((input) => {
    const { layers, attachments = [] } = input
    const turns = [...new Set(attachments.map(({ turn }) => turn))]
    return fc
      .tuple(
        fc.shuffledSubarray([...layers], { minLength: layers.length }),
        fc.shuffledSubarray(turns, { minLength: turns.length }),
      )
      .map(([otherLayers, otherTurns]) => {
        const otherFiles = otherTurns.flatMap((turn) => attachments.filter((file) => file.turn === turn))
        return [input, { ...input, layers: otherLayers, attachments: otherFiles }] as const
      })
  })
}

function layersIn(input: AssemblyInput, entries: readonly ManifestEntry[]): readonly ManifestEntry[] {
  const ids = new Set(input.layers.map(({ id }) => id))
  return entries.filter(({ id, slot }) => slot !== 'tools' && ids.has(id))
}

test('in a slot, layers are in the order of the layout, and others follow as they were declared', () => {
  forAll(inputs(), (input) => {
    const names = Object.keys(input.layout.placements)
    const rank = ({ layer }: ManifestEntry) => (names.includes(layer) ? names.indexOf(layer) : names.length)
    const declared = new Map(input.layers.map(({ id }, index) => [id, index]))
    const bySlot = Map.groupBy(layersIn(input, outcomeOf(input).manifest.entries), ({ slot }) => slot)
    for (const entries of bySlot.values()) {
      const wanted = entries.toSorted(
        (one, other) => rank(one) - rank(other) || declared.get(one.id)! - declared.get(other.id)!,
      )
      assert.deepEqual(entries, wanted)
    }
  })
})

test('the order in which layers and files are handed in changes nothing that the layout decides', () => {
  forAll(shuffled(), ([input, other]) => {
    const known = ({ layers, layout }: AssemblyInput) =>
      new Set(layers.map(({ layer }) => layer)).size === layers.length &&
      layers.every(({ layer }) => Object.hasOwn(layout.placements, layer))
    const stray = (input.attachments ?? []).some(
      ({ turn }) => ![...input.history, input.current].some(({ id }) => id === turn),
    )
    // Of one name, or of a name that the layout does not know, several stand as they were declared. And where the head does
    // not fit its share, the layer that was declared last gives way first (DESIGN §3).
    fc.pre(known(input) && !stray && input.layout.headShare >= 0.5)
    const room = wantedTokens(input) * 2
    assert.equal(JSON.stringify(outcomeOf(withRoom(other, room))), JSON.stringify(outcomeOf(withRoom(input, room))))
  })
})

/** DESIGN §5, and docs/guide/layouts.md. */
const orders: Readonly<Record<string, string>> = {
  auto: 'system-prompt instructions soul user-profile conversation memory skills tool-guidance project subject custom-agent reminder citation-guidance',
  ayati: 'system-prompt soul user-profile conversation memory skills',
  onyx: 'system-prompt tool-guidance citation-guidance custom-agent project',
  deepchat: 'system-prompt',
  chai: 'system-prompt instructions',
}

for (const [layout, order] of Object.entries(orders)) {
  test(`the layout ${layout} has its names in order, and every name there is`, () => {
    const names = Object.keys(layoutOf(layout).placements)
    assert.deepEqual(names.slice(0, order.split(' ').length), order.split(' '))
    assert.deepEqual(names.toSorted(), Object.keys(layouts['auto']!.placements).toSorted())
  })
}
