import assert from 'node:assert/strict'
import test from 'node:test'
import { namedSections } from './layer-history.ts'

test('a section begins with a heading that is a name, and other headings belong to it', () => {
  const text = 'Before.\n\n## letters\nBy hand.\n\n## How to\n\nSlowly.\n\n## numbers\nIn words.\n\n'
  assert.deepEqual(Object.fromEntries(namedSections(text)), {
    letters: '## letters\nBy hand.\n\n## How to\n\nSlowly.',
    numbers: '## numbers\nIn words.',
  })
})

test('a text without such headings has none, and a name that comes again begins nothing', () => {
  assert.equal(namedSections('# Rules\n\n## Be Brief\n').size, 0)
  assert.deepEqual(Object.fromEntries(namedSections('## a\none\n## a\ntwo')), { a: '## a\none\n## a\ntwo' })
})
