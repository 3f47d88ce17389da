import assert from 'node:assert/strict'
import test from 'node:test'
import type { MessageEntity } from 'grammy/types'
import { formatMarkdown } from './markdown.ts'

/** The text, and behind it what its entities cover. */
function shown(markdown: string): readonly string[] {
  const { text, entities } = formatMarkdown(markdown)
  return [
    text,
    ...entities.map((entity) => `${nameOf(entity)}: ${text.slice(entity.offset, entity.offset + entity.length)}`),
  ]
}

function nameOf(entity: MessageEntity): string {
  if (entity.type === 'text_link') return `link to ${entity.url}`
  return entity.type === 'pre' ? `pre ${entity.language ?? ''}`.trim() : entity.type
}

test('bold, italic, struck and code words are formatted', () => {
  assert.deepEqual(shown('**Bold**, *italic*, _too_, ~~gone~~ and `a & b`.'), [
    'Bold, italic, too, gone and a & b.',
    'bold: Bold',
    'italic: italic',
    'italic: too',
    'strikethrough: gone',
    'code: a & b',
  ])
})

test('formats can be nested, but not inside code', () => {
  assert.deepEqual(shown('**one *two `three` four***'), [
    'one two three four',
    'bold: one two',
    'italic: two',
    'code: three',
    'bold: four',
    'italic: four',
  ])
})

test('offsets are UTF-16 code units', () => {
  assert.deepEqual(formatMarkdown('👩‍🚀 **é👍** x').entities, [{ type: 'bold', offset: 6, length: 3 }])
})

test('a fence is a block of code with its language', () => {
  assert.deepEqual(shown('Look:\n\n```ts\nconst a = 1 < 2 && `b`\n\n  **no**\n```\nDone.'), [
    'Look:\n\nconst a = 1 < 2 && `b`\n\n  **no**\n\nDone.',
    'pre ts: const a = 1 < 2 && `b`\n\n  **no**',
  ])
  assert.deepEqual(shown('```\n    deep\n```'), ['    deep', 'pre:     deep'])
  assert.deepEqual(shown('```c++ main.cpp\nint a;\n```'), ['main.cpp\nint a;', 'pre c++: int a;'])
})

test('a stream that stopped in the midst of something says what came so far', () => {
  assert.deepEqual(shown('Look:\n\n```ts\nconst a ='), ['Look:\n\nconst a =', 'pre ts: const a ='])
  assert.deepEqual(shown('Look:\n\n```ts'), ['Look:\n\n```ts'])
  assert.deepEqual(shown('This is **very imp'), ['This is **very imp'])
  assert.deepEqual(shown('See [the page](https://exam'), ['See [the page](https://exam'])
  assert.deepEqual(shown('- one\n- '), ['• one\n•'])
  assert.deepEqual(shown(''), [''])
})

test('links lead to the web and to mail, and other addresses stay text', () => {
  assert.deepEqual(
    shown('[a *b*](https://example.org/?x=1&amp;y=2 "t") [m](mailto:a@example.org) [t](tg://resolve?domain=x)'),
    [
      'a b m t (tg://resolve?domain=x)',
      'link to https://example.org/?x=1&y=2: a b',
      'italic: b',
      'link to mailto:a@example.org: m',
    ],
  )
  assert.deepEqual(shown('[a](javascript:alert) [b](./notes.md) [c](http://localhost:3000) [d]()'), [
    'a (javascript:alert) b (./notes.md) c (http://localhost:3000) d',
  ])
  assert.deepEqual(shown('https://example.org/a_b_c?d&e <me@example.org> [https://a.example](https://a.example)'), [
    'https://example.org/a_b_c?d&e me@example.org https://a.example',
  ])
})

for (const [link, said] of [
  ['[https://bank.example](https://evil.example)', 'https://bank.example (https://evil.example)'],
  ['[log in at **bank.com**](https://evil.example/bank.com)', 'log in at bank.com (https://evil.example/bank.com)'],
  ['[www.bank.example/a](http://bank.example.evil.example/)', 'www.bank.example/a (http://bank.example.evil.example/)'],
  ['[https://me@evil.com](https://bank.com)', 'https://me@evil.com (https://bank.com)'],
  ['![https://bank.com/x.png](https://evil.com/x.png)', 'https://bank.com/x.png (https://evil.com/x.png)'],
] as const) {
  test(`a link that says another address than it leads to shows where it leads: ${link}`, () => {
    assert.equal(formatMarkdown(link).text, said)
    assert.ok(formatMarkdown(link).entities.every(({ type }) => type !== 'text_link'))
  })
}

test('a link that says its own address, or none, is a link', () => {
  for (const link of [
    '[bank.com](https://www.bank.com/login)',
    '[https://bank.com.](https://bank.com/)',
    '[README.md](https://example.org/README.md)',
    '[me@example.com](mailto:me@example.com)',
    '[https://bücher.com](https://xn--bcher-kva.com/)',
  ]) {
    assert.deepEqual(
      formatMarkdown(link).entities.map(({ type }) => type),
      ['text_link'],
      link,
    )
  }
})

test('links by reference lead where their definition says; a definition without a link is shown', () => {
  assert.deepEqual(shown('See [one][1].\n\n[1]: https://example.org/\n[2]: https://example.net/'), [
    'See one.\n\n[2]: https://example.net/',
    'link to https://example.org/: one',
  ])
  assert.deepEqual(shown('[note]: important'), ['[note]: important'])
})

test('a picture is a link', () => {
  assert.deepEqual(shown('![A cat &amp; dog](https://example.org/cat.png)'), [
    'A cat & dog',
    'link to https://example.org/cat.png: A cat & dog',
  ])
  assert.deepEqual(shown('![](https://example.org/cat.png)'), ['https://example.org/cat.png'])
  assert.deepEqual(shown('[![A cat](https://example.org/cat.png)](https://example.org/)'), [
    'A cat',
    'link to https://example.org/: A cat',
  ])
})

test('code within a link gives way to the link', () => {
  assert.deepEqual(shown('[`read`](https://example.org/)'), ['read', 'link to https://example.org/: read'])
})

test('headings are bold', () => {
  assert.deepEqual(shown('# One **two** `three`\ntext\n\nTwo\n---\nmore'), [
    'One two three\n\ntext\n\nTwo\n\nmore',
    'bold: One two',
    'code: three',
    'bold: Two',
  ])
})

test('lists have signs or numbers, and what belongs to an item is set in', () => {
  const markdown =
    '- one\n  more\n  - two\n\n    para\n- [x] done\n- [ ] open\n\n3. three\n4. four\n   ```sh\n   ls\n   ```'
  assert.deepEqual(shown(markdown), [
    '• one\n  more\n  • two\n    para\n☑ done\n☐ open\n\n3. three\n4. four\nls',
    'pre sh: ls',
  ])
})

test('quotes are quotes, quotes within quotes are one', () => {
  assert.deepEqual(shown('> He **said**\n> > twice\n>\n> ```\n> x\n> ```\n\nend'), [
    'He said\n\ntwice\n\nx\n\nend',
    'blockquote: He said\n\ntwice\n\nx',
    'bold: said',
    'pre: x',
  ])
})

test('a table has its columns below each other', () => {
  const markdown = '| Name | Count |\n|:--|--:|\n| **a** | 1 |\n| 漢字 | 20<br>x |\n| [l](https://example.org) | \\| |'
  assert.deepEqual(shown(markdown), [
    [
      'Name                     │ Count',
      '─────────────────────────┼──────',
      'a                        │     1',
      '漢字                     │  20 x',
      'l (https://example.org/) │     |',
    ].join('\n'),
    `pre: ${formatMarkdown(markdown).text}`,
  ])
})

test('a table with too many cells stays as it was written', () => {
  const markdown = '| a | b |\n|---|---|\n| `x | y` | z |'
  assert.deepEqual(shown(markdown), [markdown, `pre: ${markdown}`])
})

test('a rule is a line, a line break is one, and HTML is what was written', () => {
  assert.deepEqual(shown('a  \nb<br>c\n\n---\n\n<b>d</b> <!-- e -->\n\n<div>\n f\n</div>'), [
    'a\nb\nc\n\n———\n\n<b>d</b> <!-- e -->\n\n<div>\n f\n</div>',
  ])
})

test('references and escapes are decoded once', () => {
  assert.deepEqual(shown('&lt;a&gt; &amp;amp; &#8364; &#x20ac; \\*b\\* &nosuch; &constructor; &#0; A&nbsp;B'), [
    '<a> &amp; € € *b* &nosuch; &constructor; \ufffd A\u00a0B',
  ])
  assert.deepEqual(shown('`&lt;`'), ['&lt;', 'code: &lt;'])
})

test('quotes within quotes without end are text', () => {
  const markdown = `${'>'.repeat(20_000)} deep`
  assert.deepEqual(formatMarkdown(markdown), { text: markdown, entities: [] })
})
