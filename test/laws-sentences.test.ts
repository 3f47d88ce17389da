import assert from 'node:assert/strict'
import test from 'node:test'
import { entrySentence, entrySentences, listedRows, type ManifestEntry, outline } from '../src/context.ts'
import { turnNumber } from '../src/context/entry-words.ts'
import { forAll, outcomeOf } from './arbitrary/for-all.ts'
import { inputs } from './arbitrary/inputs.ts'

test('whatever is not sent in full has a sentence, and nothing else has one', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    for (const entry of manifest.entries) {
      const sentence = entrySentence(entry, manifest)
      assert.equal(sentence === undefined, entry.outcome === 'included', outline(manifest))
      if (sentence === undefined) continue
      assert.match(sentence, /^[^a-z].* (?:left out|shortened): [\d,]+ tokens? wanted, .*\.$/s)
      assert.doesNotMatch(sentence, /undefined|NaN|Infinity/)
    }
    const rows = listedRows(manifest)
    for (const { entry, sentence } of rows) assert.equal(sentence === undefined, entry.outcome === 'included')
    for (const sentence of entrySentences(manifest)) assert.doesNotMatch(sentence, /undefined|NaN|note-/)
    const tokens = (all: readonly ManifestEntry[]) =>
      all.reduce((sum, one) => ({ sent: sum.sent + one.tokens, full: sum.full + one.fullTokens }), { sent: 0, full: 0 })
    assert.deepEqual(tokens(rows.map(({ entry }) => entry)), tokens(manifest.entries))
  })
})

test('what a call left out for want of room: the newest of it wanted more than was free', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const numbers = manifest.entries.flatMap(({ slot, reason }) =>
      slot === 'history' && reason?.['free'] !== undefined
        ? [{ wanted: Number(reason['wanted']), free: Number(reason['free']) }]
        : [],
    )
    const newest = numbers.at(-1)
    if (newest) assert.ok(newest.wanted > newest.free || newest.wanted === 0, outline(manifest))
    for (const { free } of numbers) assert.ok(free >= 0 && free <= Math.max(0, manifest.budget.available))
  })
})

test('turns are counted from 1 in their order, with those that nobody loaded', () => {
  forAll(inputs(), (input) => {
    const { manifest } = outcomeOf(input)
    const numbers = manifest.entries.flatMap((entry) => turnNumber(entry, manifest) ?? [])
    const first = (input.earlier?.turns ?? 0) + 1
    const distinct = [...new Set(numbers)]
    assert.deepEqual(
      distinct.toSorted((one, other) => one - other),
      distinct.map((_, index) => first + index),
    )
  })
})
