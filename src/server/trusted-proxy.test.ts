import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxiedName } from './trusted-proxy.ts'

const nameOf = proxiedName({ header: 'X-Forwarded-User', from: ['127.0.0.1/32', '10.1.0.0/16', 'fd00::/8', '::1'] })
const headers = new Headers({ 'x-forwarded-user': 'ann' })

test('a name counts from the addresses of the proxy alone', () => {
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '10.1.255.1', 'fd12::1', '::1']) {
    assert.equal(nameOf(headers, address), 'ann', address)
  }
  for (const address of [
    '127.0.0.2',
    '10.2.0.1',
    '::ffff:10.2.0.1',
    'fe80::1',
    '::2',
    '::ffff:0:0',
    'ann',
    '',
    undefined,
  ]) {
    assert.equal(nameOf(headers, address), undefined, String(address))
  }
})

test('without the header, or with an empty one, nobody is named, and two of them name nobody that there is', () => {
  assert.equal(nameOf(new Headers({ 'x-forwarded-users': 'ann' }), '127.0.0.1'), undefined)
  assert.equal(nameOf(new Headers({ 'x-forwarded-user': '' }), '127.0.0.1'), undefined)
  const both = new Headers(headers)
  both.append('x-forwarded-user', 'bob')
  assert.equal(nameOf(both, '127.0.0.1'), 'ann, bob')
})
