import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeError } from './store-error.ts'

for (const [name, code, hint] of [
  ['ENOSPC', 'full', /free some space/],
  ['EROFS', 'readonly', /write access/],
  ['EACCES', 'readonly', /write access/],
] as const) {
  test(`a file system that refuses with ${name} gives the same error as SQLite, which says how to fix it`, () => {
    const refusal = Object.assign(new Error(`${name}: open 'gateway.json.next'`), { code: name })
    const { code: given, message } = storeError(refusal, '/home') as Error & { code: string }
    assert.equal(given, code)
    assert.match(message, hint)
    assert.match(message, /gateway\.json\.next/)
  })
}

test('a log that finds no room beside the store says that the disk is full', () => {
  const refusal = Object.assign(new Error('disk I/O error'), { errcode: 4874 })
  const { code, message } = storeError(refusal, '/home') as Error & { code: string }
  assert.equal(code, 'full')
  assert.match(message, /free some space/)
})

test('an unknown error is returned unchanged', () => {
  const error = new Error('something else')
  assert.equal(storeError(error, '/home'), error)
})
