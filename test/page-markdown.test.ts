import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, assert as holds, constantFrom, nat, property } from 'fast-check'
import type { Token, Tokens } from 'marked'
import { foldDetails } from '../web/src/markdown/fold-details.ts'
import { growingLexer, lex, withoutTableHead } from '../web/src/markdown/lex.ts'
import { safeLink } from '../web/src/markdown/safe-link.ts'

/** Pieces that markdown is made of, and that change what stands before or after them. */
const pieces = constantFrom(
  'word ',
  '\n',
  '\n\n',
  '\r\n',
  '# ',
  '- ',
  '  - ',
  '1. ',
  '> ',
  '```\n',
  '    ',
  '---\n',
  '===\n',
  '| a | b |\n',
  '|---|---|\n',
  '**',
  '`',
  '$',
  '$$\n',
  '\\(',
  '\\)',
  '<b>',
  '[1]',
  '\t',
)

test('a table that arrives is drawn from its first row on', () => {
  const before = 'The tides:\n\n'
  const head = '| Port | High |\n| --- | --- |\n'
  for (let end = 1; end <= head.length; end++) {
    assert.equal(withoutTableHead(before + head.slice(0, end)), before)
    assert.equal(withoutTableHead(head.slice(0, end)), '')
  }
  const row = `${before}${head}|`
  assert.equal(withoutTableHead(row), row)
  for (const text of ['', '\n', 'a | b', `${row} Brest |\n`, `${row} Brest |\n\nThen`])
    assert.equal(withoutTableHead(text), text)
})

test('a text that grows piece by piece is read as the whole text is', () => {
  holds(
    property(array(pieces, { maxLength: 40 }), array(nat(6), { minLength: 1, maxLength: 10 }), (parts, steps) => {
      const text = parts.join('')
      const read = growingLexer()
      let last: readonly Token[] = read('')
      for (let end = 0, step = 0; end < text.length; step++) {
        end = Math.min(text.length, end + 1 + steps[step % steps.length]!)
        last = read(text.slice(0, end))
      }
      assert.deepEqual(last.map(shown), lex(text).map(shown))
    }),
    { numRuns: 2_000 },
  )
})

test('a list that the library cannot read is the text that was written', () => {
  const [list] = lex('  - ===\n\t> - \nword ')
  assert.deepEqual(
    (list as Tokens.List).items.map(({ tokens }) => tokens.map(({ raw }) => raw)),
    [['===\n> - \nword']],
  )
})

test('a text that is another one is read from its beginning', () => {
  const read = growingLexer()
  read('# One\n\ntwo\n\nthree\n\nfour')
  assert.deepEqual(read('Something else').map(shown), lex('Something else').map(shown))
})

test('formulas are found between their marks, and prices and escaped marks are text', () => {
  const formulas = (text: string): readonly string[] =>
    lex(text).flatMap((block) =>
      block.type === 'math'
        ? [block['tex'] as string]
        : ('tokens' in block ? (block.tokens ?? []) : []).flatMap((token) =>
            token.type === 'math' ? [token['tex'] as string] : [],
          ),
    )
  assert.deepEqual(formulas('$a$, \\(b\\) and $$c$$'), ['a', 'b', 'c'])
  assert.deepEqual(formulas('$$\na + b\n$$'), ['a + b'])
  assert.deepEqual(formulas('\\[\na + b\n\\]'), ['a + b'])
  assert.deepEqual(formulas('So $$c$$ is more than $$d$$, and \\[e\\] holds.'), ['c', 'd', 'e'])
  assert.deepEqual(formulas('It follows that $$c\n= d$$ holds.'), ['c\n= d'])
  assert.deepEqual(formulas('It follows:\n$$\na + b\n$$\nand more'), ['a + b'])
  assert.deepEqual(formulas('It is $5, or $6 and not \\$x; `$y$`'), [])
})

test('only addresses of the web and of mail are links', () => {
  for (const bad of [
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'file:///x',
    '/api',
    '//host',
    'vbscript:x',
    'blob:https://x/y',
  ]) {
    assert.equal(safeLink(bad), undefined, bad)
  }
  assert.equal(safeLink('https://example.org/a'), 'https://example.org/a')
  assert.equal(safeLink('mailto:a@example.org'), 'mailto:a@example.org')
})

/** What is drawn of a block. */
function shown({ type, raw }: Token): unknown {
  return { type, raw }
}

test('at most a hundred <details> of one text fold, however they are written', () => {
  for (const one of ['<details>\n\nwords\n\n</details>\n\n', '<details>words</details>\n\n']) {
    const drawn = foldDetails(lex(one.repeat(150)))
    assert.equal(drawn.filter(({ type }) => type === 'details').length, 100, one)
  }
})
