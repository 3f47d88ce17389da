import assert from 'node:assert/strict'
import test from 'node:test'
import { isSubjectName } from './subjects.ts'

const names = ['reef', 'IMG_0042.dng', 'a-b', '2026.11', '_default', '.hidden', '__proto__', 'x'.repeat(200)]
const others = ['', '.', '..', 'a..b', '../a', 'a/b', 'a\\b', 'a b', 'ä', 'a\n', 'a\0', ' a', 'x'.repeat(201), '暖']

test('ids and names of tastes are letters, digits, "_", "-" and ".", without ".."', () => {
  for (const name of names) assert.ok(isSubjectName(name), name)
  for (const name of others) assert.ok(!isSubjectName(name), name)
})
