import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeError } from './store-error.ts'

for (const [name, code, mend] of [
  ['ENOSPC', 'full', /free some space/],
  ['EROFS', 'readonly', /right to write/],
  ['EACCES', 'readonly', /right to write/],
] as const) {
  test(`a file system that refuses with ${name} is told like a store that does, with the way to mend it`, () => {
    const refusal = Object.assign(new Error(`${name}: open 'gateway.json.next'`), { code: name })
    const { code: told, message } = storeError(refusal, '/home') as Error & { code: string }
    assert.equal(told, code)
    assert.match(message, mend)
    assert.match(message, /gateway\.json\.next/)
  })
}

test('an error of nobody that is known comes back as it is', () => {
  const error = new Error('something else')
  assert.equal(storeError(error, '/home'), error)
})
