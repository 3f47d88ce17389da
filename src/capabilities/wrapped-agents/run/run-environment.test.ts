import assert from 'node:assert/strict'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { openRunFiles } from './run-environment.ts'

test('what a killed run left is removed, and nothing that another user put there', (t) => {
  // No process has such a number.
  const [own, foreign] = [1, 2].map((end) => mkdtempSync(join(tmpdir(), `foreword-wrap-99999999${end}-`)))
  t.after(() => [own!, foreign!].forEach((path) => rmSync(path, { recursive: true, force: true })))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(foreign!, 65_534, 65_534)
  openRunFiles().remove()
  assert.deepEqual([own!, foreign!].map(existsSync), [false, isRoot])
})
