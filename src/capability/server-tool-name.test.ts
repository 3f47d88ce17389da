import assert from 'node:assert/strict'
import test from 'node:test'
import { assert as always, property, string } from 'fast-check'
import { anyCharacter } from '../../test/arbitrary/characters.ts'
import { serverToolName } from './server-tool-name.ts'

test('a name that every provider takes is used as it is', () => {
  assert.equal(serverToolName('files', 'read_file'), 'files__read_file')
  assert.equal(serverToolName('git-hub', '_x'), 'git-hub___x')
})

test('any other name is cleaned and cut, and ends in a hash of both names', () => {
  assert.match(serverToolName('web', 'admin.tools.list'), /^web__admin_tools_list_[0-9a-f]{8}$/)
  assert.match(serverToolName('web', 'x'.repeat(200)), /^web__x{50}_[0-9a-f]{8}$/)
  assert.equal(serverToolName('web', 'x'.repeat(200)).length, 64)
})

test('the name of the server can always be separated from the name of the tool', () => {
  assert.notEqual(serverToolName('a', 'b__c'), serverToolName('a__b', 'c'))
  assert.notEqual(serverToolName('a_', 'b'), serverToolName('a', '_b'))
})

test('whatever the names are, the result is one that every provider takes, and always the same', () => {
  always(
    property(string({ unit: anyCharacter }), string({ unit: anyCharacter }), (server, tool) => {
      const name = serverToolName(server, tool)
      assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
      assert.equal(serverToolName(server, tool), name)
    }),
  )
})
