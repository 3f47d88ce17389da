import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wrappedLine } from './wrapped-line.ts'

test('a line is broken at words, by the cells that it takes, and looks take none', () => {
  assert.equal(wrappedLine('one two three', 7), 'one two\nthree')
  assert.equal(wrappedLine('one two three', 6), 'one\ntwo\nthree')
  assert.equal(wrappedLine('averylongword and', 5), 'averylongword\nand')
  assert.equal(wrappedLine('潮汐表 is 🌕', 9), '潮汐表 is\n🌕')
  assert.equal(wrappedLine('\u001B[2mone two\u001B[22m', 7), '\u001B[2mone two\u001B[22m')
  assert.equal(wrappedLine('List it with `foreword x`.', 17), 'List it with\n`foreword x`.')
  assert.equal(wrappedLine('', 5), '')
})
