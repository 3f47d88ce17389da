import assert from 'node:assert/strict'
import test from 'node:test'
import { codeBlock, codeSpan } from './plain-text.ts'

test('no text ends the block or the span that it stands in', () => {
  assert.equal(codeBlock('a\n'), '```\na\n```')
  assert.equal(
    codeBlock('```\n![](https://hostile.example)\n```'),
    '````\n```\n![](https://hostile.example)\n```\n````',
  )
  assert.equal(codeSpan('cat a.txt'), '`cat a.txt`')
  assert.equal(codeSpan('a`b'), '`` a`b ``')
  assert.equal(codeSpan('`'), '`` ` ``')
})

test('a line of a title is one line, shows what cannot be seen, and is not endless', () => {
  assert.equal(codeSpan('rm\n\u202Ea'), '`rm\\n\\u{202e}a`')
  assert.equal(codeSpan('a'.repeat(1_000)).length, 163)
})
