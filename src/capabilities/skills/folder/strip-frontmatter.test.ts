import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { splitFrontmatter, stripFrontmatter } from './read-frontmatter.ts'

/** BEHAVIOURS §1.2, row by row; what is not there is unchanged. */
const table: readonly (readonly [content: string, body?: string])[] = [
  ['---\nname: x\n---\n# Body\n', '# Body'],
  ['# Title\n\npara\n\n---\n\nrest\n'],
  ['---\nname: x\nno close\n'],
  ['---\n---\nbody\n', 'body'],
  ['\n---\nname: x\n---\nbody', 'body'],
  ['---\r\nname: a\r\n---\r\nbody\r\n', 'body'],
  ['---\nname: x\n---\n\n---\n\nSection\n', '---\n\nSection'],
]

for (const [content, body = content] of table) {
  test(`the body of ${JSON.stringify(content)} is ${body === content ? 'unchanged' : JSON.stringify(body)}`, () => {
    assert.equal(stripFrontmatter(content), body)
  })
}

test('a byte order mark, blank lines before and blanks behind a fence do not hide frontmatter', () => {
  assert.equal(stripFrontmatter('\uFEFF---\nname: x\n---\nbody'), 'body')
  assert.equal(stripFrontmatter('\uFEFF\n \t\n---  \nname: x\n--- \t\nbody'), 'body')
  assert.equal(stripFrontmatter('---\nname: x\n---'), '')
})

test('what only looks like a fence is none', () => {
  for (const content of [
    '',
    '---',
    '----\nname: x\n---\n',
    ' ---\nname: x\n---\n',
    '-- -\na\n---\n',
    'x\n---\na: b\n---\n',
  ]) {
    assert.equal(stripFrontmatter(content), content)
  }
  assert.equal(stripFrontmatter('---\na: |\n  ---\n---\nbody'), 'body')
  assert.equal(stripFrontmatter('\uFEFF# Title\n'), '\uFEFF# Title\n')
})

test('a text knows the lines on which its frontmatter and its body begin', () => {
  assert.deepEqual(splitFrontmatter('\n\n---\r\nname: x\r\n---\r\n\r\nbody'), {
    frontmatter: 'name: x\r\n',
    line: 4,
    body: 'body',
    bodyLine: 7,
  })
})

test('whatever follows frontmatter is the body, and without frontmatter nothing is touched', () => {
  const text = fc.string({ unit: fc.constantFrom('---', '\n', '\r\n', 'a', ' ', '\uFEFF', ': ', '-') })
  fc.assert(fc.property(text, (body) => stripFrontmatter(`---\nname: x\n---\n${body}`) === body.trim()))
  fc.assert(
    fc.property(text, (content) => {
      const body = stripFrontmatter(content)
      return body === content || (splitFrontmatter(content) !== undefined && content.trimEnd().endsWith(body))
    }),
  )
})
