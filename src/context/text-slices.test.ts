import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { estimateTokenCount } from 'tokenx'
import { chars, charsPerFour, declared, tokenx } from '../context.ts'
import { o200k } from './o200k.ts'
import { wordSlices } from './token-counter.ts'

/** What a cut could come between: words, numbers, signs of both kinds, blanks, line ends, pictures, halves of them. */
const signs =
  'a|light|house|7|2026|é|ß|ж|ς|東|京都|カ|한글|。|、|「|」|！|　|\u00A0| |  |\n|\n\n|\n  |\t|.|,|...|](|-|_|`|\\|\r\n|😀|👩‍👩‍👧|\uD83D|\uDE00'
const bit = fc.constantFrom(...signs.split('|'))
const text = fc.array(bit, { maxLength: 60 }).map((bits) => bits.join(''))

test('a text counted in slices costs what it costs in one go, wherever it is cut', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 12 }), (whole, size) => {
      const slices = [...wordSlices(whole, size)]
      assert.equal(slices.join(''), whole)
      assert.equal(sum(slices.map((slice) => estimateTokenCount(slice))), estimateTokenCount(whole))
    }),
    { numRuns: 5000 },
  )
})

test('no slice begins or ends within a character that is whole in the text', () => {
  fc.assert(
    fc.property(
      text.map((each) => each.toWellFormed()),
      fc.integer({ min: 1, max: 12 }),
      (whole, size) => assert.ok([...wordSlices(whole, size)].every((slice) => slice.isWellFormed())),
    ),
    { numRuns: 2000 },
  )
})

test('slices end soon where there are words', () => {
  const slices = [...wordSlices('lighthouse '.repeat(1000), 100)]
  assert.ok(slices.every((slice) => slice.length <= 112))
  assert.equal(slices.length, 106)
})

test('a text without any place to cut it stays whole', () => {
  assert.deepEqual([...wordSlices('x'.repeat(1000), 10)], ['x'.repeat(1000)])
  assert.deepEqual([...wordSlices('', 10)], [])
})

test('the slices of every counter add up to its count of the whole', () => {
  const long = `${'The keeper notes 7 ships.\n\n'.repeat(6000)}${'東京都。'.repeat(9000)}${'😀'.repeat(2000)} end`
  for (const counter of [declared, chars, charsPerFour, tokenx, o200k]) {
    const counts = [...(counter.slices?.(long) ?? [counter.text(long)])]
    assert.equal(sum(counts), counter.text(long), counter.id)
  }
  assert.ok([...tokenx.slices!(long)].length > 2)
  assert.equal(tokenx.text(long), estimateTokenCount(long))
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
