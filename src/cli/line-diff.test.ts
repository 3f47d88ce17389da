import assert from 'node:assert/strict'
import test from 'node:test'
import { array, assert as forAll, constantFrom, property } from 'fast-check'
import { lineDiff } from './line-diff.ts'

test('a changed line shows as the old one gone and the new one come', () => {
  assert.deepEqual(lineDiff('a\nb\nc\n', 'a\nx\nc\n'), [
    { kind: 'same', line: 'a' },
    { kind: 'gone', line: 'b' },
    { kind: 'new', line: 'x' },
    { kind: 'same', line: 'c' },
  ])
})

test('what stayed and went is the old text, what stayed and came is the new one', () => {
  const text = array(constantFrom('a', 'b', 'c'), { maxLength: 8 })
  forAll(
    property(text, text, (before, after) => {
      const changes = lineDiff(before.join('\n'), after.join('\n'))
      const lines = (left: string) => changes.filter(({ kind }) => kind !== left).map(({ line }) => line)
      assert.deepEqual(lines('new'), before)
      assert.deepEqual(lines('gone'), after)
    }),
  )
})
