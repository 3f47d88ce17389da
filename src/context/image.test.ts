import assert from 'node:assert/strict'
import test from 'node:test'
import { imageTokens, UNKNOWN_IMAGE_TOKENS } from './image.ts'

/** BEHAVIOURS §3.4: long side at most 2,048, one token per 16 × 16 patch begun, and 32. */
const table: readonly (readonly [number, number, number])[] = [
  [16, 16, 1 + 32],
  [17, 16, 2 + 32],
  [1, 1, 1 + 32],
  [640, 480, 40 * 30 + 32],
  [768, 768, UNKNOWN_IMAGE_TOKENS],
  [2048, 2048, 128 * 128 + 32],
  [4096, 4096, 128 * 128 + 32],
  [4096, 1024, 128 * 32 + 32],
  [1024, 4096, 32 * 128 + 32],
  [3000, 2000, 128 * 86 + 32],
  [0, 480, UNKNOWN_IMAGE_TOKENS],
  [-1, 480, UNKNOWN_IMAGE_TOKENS],
  [Number.NaN, 480, UNKNOWN_IMAGE_TOKENS],
]

for (const [width, height, tokens] of table) {
  test(`an image of ${width} × ${height} pixels costs ${tokens} tokens`, () => {
    assert.equal(imageTokens(width, height), tokens)
  })
}

test('an image of unknown size costs a fixed number', () => {
  assert.equal(UNKNOWN_IMAGE_TOKENS, 2336)
})
