import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { rooms, runTestsOf } from './tests-of.ts'

test('the tests of every room are run', () => {
  const found = readdirSync(join(import.meta.dirname, '../../src'), { withFileTypes: true })
  const folders = found.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  assert.deepEqual([...rooms.lower, ...rooms.upper].toSorted(), folders.toSorted())
})

await runTestsOf(rooms.lower)
