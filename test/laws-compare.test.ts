import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import test from 'node:test'
import { type Assembly, compare, differenceCause, type Manifest } from '../src/context.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs } from './arbitrary/inputs.ts'

const pairs = fc.tuple(inputs(), inputs()).map(([one, other]) => {
  const next = { ...one, history: other.history, layers: other.layers, current: other.current }
  return [outcomeOf(one).assembly, outcomeOf(next).assembly] as const
})

test('a call does not differ from itself, and all of it is the common beginning', () => {
  forAll(inputs(), (input) => {
    const { assembly } = outcomeOf(input)
    if (!assembly) return
    const { commonPrefix, ...rest } = compare(assembly, assembly)
    assert.deepEqual(commonPrefix, { tokens: assembly.manifest.used, pieces: assembly.pieces.length })
    assert.deepEqual(rest, { came: [], went: [], moved: [], changedForm: [], changedContent: [] })
    assert.equal(compare({ manifest: assembly.manifest }, { manifest: assembly.manifest }).firstDifference, undefined)
  })
})

test('what came and what went is exactly what only one of two calls holds', () => {
  forAll(pairs, ([before, after]) => {
    if (!before || !after) return
    const { came, went } = compare(before, after)
    const was = standing(before.manifest)
    const is = standing(after.manifest)
    assert.equal(came.length, is.filter((key) => !was.includes(key)).length)
    assert.equal(went.length, was.filter((key) => !is.includes(key)).length)
    assert.equal(is.length - came.length, was.length - went.length)
  })
})

test('the common beginning is as long as the pieces are the same', () => {
  forAll(pairs, ([before, after]) => {
    if (!before || !after) return
    const { commonPrefix, firstDifference } = compare(before, after)
    assert.equal(said(before, commonPrefix.pieces), said(after, commonPrefix.pieces))
    const longer = commonPrefix.pieces + 1
    const same = before.pieces.length === after.pieces.length && before.pieces.length < longer
    assert.equal(firstDifference === undefined, same)
    if (!same) assert.notEqual(said(before, longer), said(after, longer))
  })
})

test('the cause of a difference is one sentence at least, the same for the same two calls, and none for one call', () => {
  forAll(pairs, ([before, after]) => {
    if (!before || !after) return
    const comparison = compare(before, after)
    const why = differenceCause(comparison, before, after)
    assert.match(why, /^\P{Ll}.*[.]$/u)
    assert.doesNotMatch(why, /\n|undefined/)
    assert.equal(why, differenceCause(compare(before, after), before, after))
    if (before.manifest.model !== after.manifest.model) return
    assert.equal(why === 'The two requests are the same.', comparison.firstDifference === undefined)
    assert.equal(differenceCause(compare(before, before), before, before), 'The two requests are the same.')
  })
})

function standing({ entries }: Manifest): readonly string[] {
  return entries.filter((entry) => entry.outcome !== 'omitted').map(({ layer, id }) => `${layer} ${id}`)
}

function said({ pieces }: Assembly, count: number): string {
  return JSON.stringify(pieces.slice(0, count).map((piece) => piece.content))
}
