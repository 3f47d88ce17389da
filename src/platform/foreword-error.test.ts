import assert from 'node:assert/strict'
import test from 'node:test'
import { defined, errorMessage, ForewordError, sha256 } from '../platform.ts'

test('an error carries its code, facts, hint and cause', () => {
  const cause = new Error('the disk')
  const error = new ForewordError('storage', 'It failed.', { session: 's' }, { hint: 'Try again.', cause })
  assert.deepEqual(
    { code: error.code, message: error.message, facts: error.facts, hint: error.hint, cause: error.cause },
    { code: 'storage', message: 'It failed.', facts: { session: 's' }, hint: 'Try again.', cause },
  )
  const bare = new ForewordError('internal', 'It failed.')
  assert.deepEqual([bare.facts, bare.hint, 'cause' in bare], [{}, undefined, false])
})

test('any thrown value gives a message', () => {
  assert.equal(errorMessage(new Error('no')), 'no')
  assert.equal(errorMessage('no'), 'no')
})

test('what is undefined is left out, and nothing else is', () => {
  const title: string | undefined = [].at(0)
  const fields: { title?: string; after: number | null } = defined({ title, after: null })
  assert.deepEqual(Object.keys(fields), ['after'])
})

test('a digest is that of the UTF-8', () => {
  assert.equal(sha256('ä'), sha256(new TextEncoder().encode('ä')))
})
