import assert from 'node:assert/strict'
import test from 'node:test'
import { globMatcher } from './folder-walk.ts'

const cases: readonly (readonly [glob: string, fits: readonly string[], not: readonly string[]])[] = [
  ['*.md', ['a.md', 'docs/b.md'], ['a.mdx', 'md']],
  ['docs/*.md', ['docs/a.md'], ['a.md', 'docs/inner/a.md']],
  ['**/*.md', ['a.md', 'docs/inner/b.md'], ['a.ts']],
  ['docs/**', ['docs/a', 'docs/inner/b'], ['src/docs']],
  ['src/**/x.ts', ['src/x.ts', 'src/a/b/x.ts'], ['x.ts', 'src/a/y.ts']],
  ['a?c', ['abc', 'a😀c'], ['ac', 'abbc']],
  ['*.{ts,js}', ['a.ts', 'b/c.js'], ['a.json', 'a.{ts,js}']],
  ['{a,b}{1,2}', ['a1', 'b2'], ['a3', 'ab']],
  ['[ab].md', ['[ab].md'], ['a.md']],
  ['./a.md', ['a.md'], ['b.md']],
  ['a+(b)', ['a+(b)'], ['ab']],
]

for (const [glob, fits, not] of cases) {
  test(`${glob} fits ${fits.join(', ')} and not ${not.join(', ')}`, () => {
    const isFit = globMatcher(glob)
    assert.deepEqual([fits.filter(isFit), not.filter(isFit)], [fits, []])
  })
}

test('a malicious pattern takes no longer than another', () => {
  assert.equal(globMatcher(`${'*a'.repeat(500)}*b`)('a'.repeat(5000)), false)
  assert.equal(globMatcher(`${'**/a/'.repeat(200)}b`)('a/'.repeat(2000) + 'c'), false)
  assert.equal(globMatcher('{a,b}'.repeat(30))('a'.repeat(30)), false)
})
