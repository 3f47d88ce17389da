import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelName } from '../web/src/parts/model-name.ts'
import { matchingItem } from '../web/src/parts/typeahead.ts'

const names = ['rename …', 'pin', 'move to a folder …', 'export', 'delete', 'print']

test('a model is called by its name, and by its provider too where another one has the same name', () => {
  const all = [{ id: 'anthropic/one' }, { id: 'router/vendor/two' }, { id: 'here/same' }, { id: 'there/same' }]
  assert.deepEqual(
    [...all, { id: 'rehearsal' }].map(({ id }) => modelName(id, all)),
    [
      { name: 'one', provider: 'anthropic' },
      { name: 'vendor/two', provider: 'router' },
      { name: 'here/same', provider: '' },
      { name: 'there/same', provider: '' },
      { name: 'rehearsal', provider: '' },
    ],
  )
})

test('typed letters find an item of a menu: one letter the next that begins with it, more the first from here on', () => {
  assert.equal(matchingItem(names, -1, 'p'), 1)
  assert.equal(matchingItem(names, 1, 'p'), 5)
  assert.equal(matchingItem(names, 5, 'pp'), 1)
  assert.equal(matchingItem(names, 1, 'pr'), 5)
  assert.equal(matchingItem(names, 5, 'pr'), 5)
  assert.equal(matchingItem(names, 3, 're'), 0)
  assert.equal(matchingItem(names, 0, 'x'), -1)
  assert.equal(matchingItem([], -1, 'p'), -1)
})
