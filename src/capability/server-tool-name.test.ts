import assert from 'node:assert/strict'
import test from 'node:test'
import { assert as always, property, string } from 'fast-check'
import { offeredName } from './server-tool-name.ts'

test('a name that every provider takes is used as it is', () => {
  assert.equal(offeredName('files', 'read_file'), 'files__read_file')
  assert.equal(offeredName('git-hub', '_x'), 'git-hub___x')
})

test('any other name is cleaned and cut, and ends in a hash of both names', () => {
  assert.match(offeredName('web', 'admin.tools.list'), /^web__admin_tools_list_[0-9a-f]{8}$/)
  assert.match(offeredName('web', 'x'.repeat(200)), /^web__x{50}_[0-9a-f]{8}$/)
  assert.equal(offeredName('web', 'x'.repeat(200)).length, 64)
})

test('it can always be told where the name of the server ends', () => {
  assert.notEqual(offeredName('a', 'b__c'), offeredName('a__b', 'c'))
  assert.notEqual(offeredName('a_', 'b'), offeredName('a', '_b'))
})

test('whatever the names are, the result is one that every provider takes, and always the same', () => {
  always(
    property(string({ unit: 'binary' }), string({ unit: 'binary' }), (server, tool) => {
      const name = offeredName(server, tool)
      assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
      assert.equal(offeredName(server, tool), name)
    }),
  )
})
