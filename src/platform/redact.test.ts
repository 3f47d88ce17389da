import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicAddress, redactSecrets } from './redact.ts'

test('a key does not survive, in any form it may be echoed in', () => {
  const key = 'pä$$word/with+signs'
  const echoed = `got ${key}, ${encodeURIComponent(key)}, ${JSON.stringify(key)}`
  assert.equal(redactSecrets(echoed, [key]), 'got [key], [key], "[key]"')
})

test('what looks like a key goes too, masked or not', () => {
  assert.equal(
    redactSecrets('Incorrect API key provided: sk-proj-***********abcd', []),
    'Incorrect API key provided: [key]',
  )
  assert.equal(redactSecrets('Authorization: Bearer abcdef123456', []), 'Authorization: [key]')
})

test('long words of a provider become one short line', () => {
  const line = redactSecrets(`first\n${'x'.repeat(1000)}`, [])
  assert.equal(line.length, 300)
  assert.match(line, /^first x+ …$/)
})

test('an address is shown without what may be secret in it', () => {
  assert.equal(publicAddress('https://me:word@example.com:8443/audit?token=abc#x'), 'https://example.com:8443/audit?…')
  assert.equal(publicAddress('http://example.com/audit'), 'http://example.com/audit')
  assert.equal(publicAddress('git:/srv/audit.git'), 'git:/srv/audit.git')
})
