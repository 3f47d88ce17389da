import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import test from 'node:test'
import {
  type AssemblyInput,
  available,
  type Layer,
  type Manifest,
  type ManifestEntry,
  type Priority,
  type Request,
} from '../src/context.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs, wantedTokens, withRoom } from './arbitrary/inputs.ts'

const hardness: readonly Priority[] = ['low', 'normal', 'high', 'required']

test('the head is the same whatever is said behind it, short of a shortage', () => {
  forAll(fc.tuple(inputs(), inputs()), ([one, other]) => {
    const tailOfOther = { ...one, history: other.history, current: other.current, attachments: other.attachments ?? [] }
    const first = outcomeOf(one)
    const second = outcomeOf(tailOfOther)
    if (!first.assembly || !second.assembly) return
    if (isShort(first.manifest) || isShort(second.manifest)) return
    assert.equal(headOf(second), headOf(first))
  })
})

test('a larger window never gives the head less', () => {
  forAll(fc.tuple(inputs(), fc.integer({ min: 1, max: 4000 })), ([input, more]) => {
    const small = outcomeOf(input)
    const large = outcomeOf(withRoom(input, available(input.budget) + more))
    for (const before of small.manifest.entries.filter(isHead)) {
      const after = large.manifest.entries.find((entry) => entry.id === before.id && entry.layer === before.layer)!
      assert.ok(after.tokens >= before.tokens, `${before.id}: ${before.tokens} became ${after.tokens}`)
      assert.ok(before.outcome === 'omitted' || after.outcome !== 'omitted', `${before.id} was left out`)
    }
  })
})

test('the head keeps to its share, unless only required layers in their smallest form and tools are left', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const { tools, system, preamble } = manifest.slots
    if (tools + system + preamble <= Math.floor(manifest.budget.available * input.layout.headShare)) return
    for (const entry of standing(manifest).filter(isHead)) {
      const layer = input.layers.find(({ id }) => id === entry.id)
      if (!layer) continue
      assert.equal(priorityOf(input, layer), 'required')
      if (input.layout.shrinks) assert.equal(smallerForms(layer, entry, input), 0)
    }
  })
})

test('layers shrink before any is left out, soft ones before hard ones, the last declared first', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    for (const group of [isHead, isTail]) {
      const holders = input.layers
        .map((layer) => ({ layer, entry: manifest.entries.find(({ id }) => id === layer.id)! }))
        .filter(({ entry }) => group(entry) && entry.reason?.code !== 'blank')
        .map(({ layer, entry }, index) => ({
          rank: hardness.indexOf(priorityOf(input, layer)),
          index,
          out: entry.outcome === 'omitted',
          steps: entry.outcome === 'omitted' ? Infinity : entry.form === 'full' ? 0 : 1,
          canShrink: input.layout.shrinks && entry.outcome !== 'omitted' && smallerForms(layer, entry, input) > 0,
        }))
      for (const gone of holders.filter((holder) => holder.out)) {
        for (const other of holders) {
          assert.ok(!other.canShrink, 'something was left out while something else could shrink')
          const softer = other.rank < gone.rank || (other.rank === gone.rank && other.index > gone.index)
          if (softer) assert.ok(other.out, 'a harder layer went before a softer one')
        }
      }
      for (const shrunk of holders.filter((holder) => holder.steps > 0)) {
        for (const other of holders) {
          if (other.rank < shrunk.rank) assert.ok(!other.canShrink, 'a harder layer shrank before a softer one')
          const equal = other.rank === shrunk.rank && other.index > shrunk.index
          if (equal && other.canShrink) assert.ok(other.steps > 0, 'an earlier layer shrank before a later one')
        }
      }
      if (!input.layout.shrinks) assert.ok(holders.every((holder) => holder.steps === 0 || holder.out))
    }
  })
})

test('nothing of the tail gives way before the results of the current turn have', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const gaveWay = manifest.entries.filter((entry) => isTail(entry) && entry.reason?.code === 'shortage')
    if (gaveWay.length === 0 || !input.layout.shrinks) return
    // With no more room at all, the current turn cannot get smaller than it is.
    const least = outcomeOf(withRoom(input, 0)).manifest
    const tokensOfCurrent = ({ entries }: Manifest) => entries.find((entry) => isCurrent(entry, input))!.tokens
    assert.equal(tokensOfCurrent(manifest), tokensOfCurrent(least))
  })
})

test('the head goes beyond its share only after the tail gave all it has', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const short = manifest.entries.filter((entry) => isHead(entry) && entry.reason?.code === 'shortage')
    if (short.length === 0) return
    for (const entry of standing(manifest).filter(isTail)) {
      const layer = input.layers.find(({ id }) => id === entry.id)!
      assert.equal(priorityOf(input, layer), 'required')
      if (input.layout.shrinks) assert.equal(smallerForms(layer, entry, input), 0)
    }
  })
})

test('a shortage is only there where what must stand did not fit', () => {
  forAll(inputs(), (input) => {
    const roomy = outcomeOf(
      withRoom(input, Math.ceil(wantedTokens(input) / Math.max(0.01, input.layout.headShare)) + 1),
    )
    assert.equal(isShort(roomy.manifest), false)
  })
})

function headOf({ manifest, assembly }: { manifest: Manifest; assembly?: { request: Request } | undefined }): string {
  const preamble = standing(manifest).filter((entry) => entry.slot === 'preamble')
  const { tools, system, messages } = assembly!.request
  return JSON.stringify({
    tools,
    system,
    preamble: messages.slice(0, preamble.length),
    entries: manifest.entries.filter(isHead),
  })
}

function isHead({ slot }: ManifestEntry): boolean {
  return slot === 'tools' || slot === 'system' || slot === 'preamble'
}

function isTail({ slot }: ManifestEntry): boolean {
  return slot === 'before-input' || slot === 'after-input'
}

function isCurrent({ id, slot }: ManifestEntry, input: AssemblyInput): boolean {
  return slot === 'input' && id === input.current.id
}

function isShort({ entries }: Manifest): boolean {
  return entries.some((entry) => entry.reason?.code === 'shortage')
}

function standing({ entries }: Manifest): readonly ManifestEntry[] {
  return entries.filter((entry) => entry.outcome !== 'omitted')
}

function priorityOf({ layout }: AssemblyInput, layer: Layer): Priority {
  return layer.priority ?? layout.priorities[layer.layer] ?? 'normal'
}

/** How many of a layer's forms would still save something. */
function smallerForms(layer: Layer, entry: ManifestEntry, { counter }: AssemblyInput): number {
  const at = layer.renditions.findIndex((rendition) => rendition.form === entry.form)
  return layer.renditions
    .slice(at + 1)
    .filter(
      ({ text, tokens }) => text.trim() !== '' && (tokens ?? counter.text(text) + counter.perMessage) < entry.tokens,
    ).length
}
