import assert from 'node:assert/strict'
import test from 'node:test'
import { array, assert as forAll, asyncProperty, constantFrom, nat } from 'fast-check'
import { changedLines, lineDiff } from './line-diff.ts'

test('a changed line shows as the old one gone and the new one come', async () => {
  assert.deepEqual(await lineDiff('a\nb\nc\n', 'a\nx\nc\n'), [
    { kind: 'same', line: 'a' },
    { kind: 'gone', line: 'b' },
    { kind: 'new', line: 'x' },
    { kind: 'same', line: 'c' },
  ])
})

test('what stayed and went is the old text, what stayed and came is the new one', async () => {
  const text = array(constantFrom('a', 'b', 'c'), { maxLength: 8 })
  await forAll(
    asyncProperty(text, text, nat(6), async (before, after, most) => {
      const changes = await lineDiff(before.join('\n'), after.join('\n'), most)
      const lines = (left: string) => changes.filter(({ kind }) => kind !== left).map(({ line }) => line)
      assert.deepEqual(lines('new'), before)
      assert.deepEqual(lines('gone'), after)
    }),
  )
})

test('one change in 9,000 lines is found within two edits, and only its neighbours are shown', async () => {
  const before = Array.from({ length: 9000 }, (_, index) => `line ${index}`)
  const after = before.with(4500, 'another')
  // With so small a bound, anything that works out more than the change itself gives up and says so in one piece.
  const changes = await lineDiff(before.join('\n'), after.join('\n'), 2)
  assert.deepEqual(
    changes.filter(({ kind }) => kind !== 'same'),
    [
      { kind: 'gone', line: 'line 4500' },
      { kind: 'new', line: 'another' },
    ],
  )
  assert.equal(
    changedLines(changes),
    '  [4497 unchanged lines]\n  line 4497\n  line 4498\n  line 4499\n- line 4500\n+ another\n' +
      '  line 4501\n  line 4502\n  line 4503\n  [4496 unchanged lines]',
  )
})

test('the comparison of two very different texts ends in limited time', async () => {
  const changes = await lineDiff('a\nb\nc\nd\ne\nz', 'a\n1\n2\n3\n4\nz', 3)
  assert.equal(changedLines(changes), '  a\n- b\n- c\n- d\n- e\n+ 1\n+ 2\n+ 3\n+ 4\n  z')
})
