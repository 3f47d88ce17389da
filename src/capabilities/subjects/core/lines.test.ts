import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { splitLines, wholeLines } from './lines.ts'

const table: readonly (readonly [string, readonly string[]])[] = [
  ['', []],
  ['a', ['a']],
  ['a\n', ['a']],
  ['a\n\n', ['a', '']],
  ['\n', ['']],
  ['a\nb', ['a', 'b']],
  ['a\r\nb\r\n', ['a', 'b']],
  ['a\rb\r', ['a', 'b']],
  ['a\n\rb', ['a', '', 'b']],
  ['a\r\r\nb', ['a', '', 'b']],
  ['a\u2028b\u0085c\fd', ['a\u2028b\u0085c\fd']],
]

for (const [text, lines] of table) {
  test(`${JSON.stringify(text)} has the lines ${JSON.stringify(lines)}`, () =>
    assert.deepEqual(splitLines(text), lines))
}

test('whole lines, joined, are the text', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('\n', '\r', 'a', ' ', '🌊')), (parts) => {
      assert.equal(wholeLines(parts.join('')).join(''), parts.join(''))
      assert.equal(splitLines(parts.join('')).length, wholeLines(parts.join('')).length)
    }),
  )
})
