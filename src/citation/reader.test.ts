import assert from 'node:assert/strict'
import test from 'node:test'
import { citedNumbers, citationReader } from '../citation.ts'
import { citedText } from './reader.ts'
import { citationGuidance, citationReminder } from './citation-layers.ts'

/** What is written, and what is found in it: `‹numbers:marker›`. 1 to 9 are known. */
const table: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'every form of a marker is a citation': [
    ['Six [1].', 'Six ‹1:[1]›.'],
    ['[[1]]', '‹1:[[1]]›'],
    ['[1, 2]', '‹1,2:[1, 2]›'],
    ['[1,2] [ 1 ,  2 ] [[1, 2]]', '‹1,2:[1,2]› ‹1,2:[ 1 ,  2 ]› ‹1,2:[[1, 2]]›'],
    ['[1][2]', '‹1:[1]›‹2:[2]›'],
    ['[[1]][[2]]', '‹1:[[1]]›‹2:[[2]]›'],
    ['【1】【2, 3】', '‹1:【1】›‹2,3:【2, 3】›'],
    ['［1］［１，２］【１、２】', '‹1:［1］›‹1,2:［１，２］›‹1,2:【１、２】›'],
    ['[1, 1]', '‹1:[1, 1]›'],
    ['wow![1] a[2]b "[3]" ([4])', 'wow!‹1:[1]› a‹2:[2]›b "‹3:[3]›" (‹4:[4]›)'],
  ],
  'a number that stands for nothing stays as written': [
    ['in [2024]', 'in [2024]'],
    ['[99] [[99]] 【99】 [98, 99]', '[99] [[99]] 【99】 [98, 99]'],
    ['[0] [01] [1.5] [-1] [1e0]', '[0] [01] [1.5] [-1] [1e0]'],
    ['[1, 99]', '‹1:[1, 99]›'],
    ['[[99]](https://example.org)', '[[99]](https://example.org)'],
  ],
  'what is no marker is text': [
    ['[] [ ] [x] [a1] [1a] [1 2] [1,] [,1] [1,,2] [1-3]', '[] [ ] [x] [a1] [1a] [1 2] [1,] [,1] [1,,2] [1-3]'],
    ['- [ ] open\n- [x] done', '- [ ] open\n- [x] done'],
    ['[^1] [1\n] [1】 ［1] 【1†source】', '[^1] [1\n] [1】 ［1] 【1†source】'],
    ['[[1] x', '[‹1:[1]› x'],
    ['[[1, 2] ]', '[‹1,2:[1, 2]› ]'],
    ['[[[1]]]', '[‹1:[[1]]›]'],
    ['[1, [2]]', '[1, ‹2:[2]›]'],
    ['[1', '[1'],
    ['[[1]', '[‹1:[1]›'],
    ['\\[1] \\[1\\] \\\\[1]', '\\[1] \\[1\\] \\\\‹1:[1]›'],
  ],
  'a link that a marker carries belongs to it, and other links stay': [
    ['[1](https://example.org/a_(b)) x', '‹1:[1](https://example.org/a_(b))› x'],
    ['[[1]](http://example.org).', '‹1:[[1]](http://example.org)›.'],
    ['[[1](https://example.org)]', '[‹1:[1](https://example.org)›]'],
    ['[1](see below) [1](2)', '‹1:[1]›(see below) ‹1:[1]›(2)'],
    ['[1](https://example.org cut off', '‹1:[1]›(https://example.org cut off'],
    ['[1](https://[2]', '‹1:[1]›(https://‹2:[2]›'],
    ['【1】(https://example.org)', '‹1:【1】›(https://example.org)'],
    ['![1](https://example.org/a.png)', '![1](https://example.org/a.png)'],
    ['[text](https://example.org) [text][1]', '[text](https://example.org) [text]‹1:[1]›'],
    ['[1]: https://example.org', '‹1:[1]›: https://example.org'],
  ],
  'nothing inside a code span is touched': [
    ['`[1]` [1]', '`[1]` ‹1:[1]›'],
    ['``a ` [1]`` [2]', '``a ` [1]`` ‹2:[2]›'],
    ['`a\n[1]\nb` [2]', '`a\n[1]\nb` ‹2:[2]›'],
    ['`a\\` [1]', '`a\\` ‹1:[1]›'],
    ['\\`[1]\\`', '\\`‹1:[1]›\\`'],
    ['\\``[1]`', '\\``[1]`'],
    ['```a [1]``` [2]', '```a [1]``` ‹2:[2]›'],
    ['`[1]``[2]` [3]', '`[1]``[2]` ‹3:[3]›'],
  ],
  'a backtick that is never closed in its paragraph opens no code': [
    ['the ` key [1]', 'the ` key ‹1:[1]›'],
    ['the ` key [1]\n\nand `b` [2]', 'the ` key ‹1:[1]›\n\nand `b` ‹2:[2]›'],
    ['the ` key [1]\n~~~\n[2]\n~~~', 'the ` key ‹1:[1]›\n~~~\n[2]\n~~~'],
    ['` a `` [1] `` b', '` a `` [1] `` b'],
  ],
  'a backtick that is never closed in its block does not reach into the next': [
    ['- the ` key [1]\n- use `a[2]` [3]', '- the ` key ‹1:[1]›\n- use `a[2]` ‹3:[3]›'],
    ['1. the ` key\n2. use `a[2]` [3]', '1. the ` key\n2. use `a[2]` ‹3:[3]›'],
    ['# the ` key\n`a[2]` [3]', '# the ` key\n`a[2]` ‹3:[3]›'],
    ['the ` key\n## use `a[2]` [3]', 'the ` key\n## use `a[2]` ‹3:[3]›'],
    ['the ` key\n> use `a[2]` [3]', 'the ` key\n> use `a[2]` ‹3:[3]›'],
    ['the ` key\n---\nuse `a[2]` [3]', 'the ` key\n---\nuse `a[2]` ‹3:[3]›'],
    ['| the ` key |\n| `a[2]` [3] |', '| the ` key |\n| `a[2]` ‹3:[3]› |'],
    ['`a\n7. b[1]\n#c [1]` [2]', '`a\n7. b[1]\n#c [1]` ‹2:[2]›'],
  ],
  'nothing inside a fence is touched': [
    ['```js\na[1]\n\nb[1]\n```\n[2]', '```js\na[1]\n\nb[1]\n```\n‹2:[2]›'],
    ['``` [1]\n[1]\n````  \n[2]', '``` [1]\n[1]\n````  \n‹2:[2]›'],
    ['````\n```\n[1]\n````\n[2]', '````\n```\n[1]\n````\n‹2:[2]›'],
    ['~~~ a`b\n[1]\n```\n[1]\n~~~\n[2]', '~~~ a`b\n[1]\n```\n[1]\n~~~\n‹2:[2]›'],
    ['   ```\n[1]\n   ```\n[2]', '   ```\n[1]\n   ```\n‹2:[2]›'],
    ['```\n[1]\n``` x\n[1]\n    ```\n[1]', '```\n[1]\n``` x\n[1]\n    ```\n[1]'],
    ['```\n[1]', '```\n[1]'],
    ['text\n```\r\n[1]\r\n```\r\n[2]', 'text\n```\r\n[1]\r\n```\r\n‹2:[2]›'],
    ['- ```\n  [1]\n  ```\n- [2]', '- ```\n  [1]\n  ```\n- ‹2:[2]›'],
    [
      '1. a\n   - b\n\n     ```\n     [1]\n     ```\n     [2]',
      '1. a\n   - b\n\n     ```\n     [1]\n     ```\n     ‹2:[2]›',
    ],
    ['> ```\n> [1]\n> ```\n> [2]', '> ```\n> [1]\n> ```\n> ‹2:[2]›'],
    ['```\n> ```\n[1]\n- ```\n[1]\n```\n[2]', '```\n> ```\n[1]\n- ```\n[1]\n```\n‹2:[2]›'],
    ['- ```\n  [1]\n- [2]', '- ```\n  [1]\n- ‹2:[2]›'],
    ['> ```\n> [1]\n\n[2]', '> ```\n> [1]\n\n‹2:[2]›'],
    ['a ``` b\n[1]', 'a ``` b\n‹1:[1]›'],
  ],
  'four spaces are code behind a blank line, and not in a list': [
    ['    a[1]\n\n    b[1]\nc [2]', '    a[1]\n\n    b[1]\nc ‹2:[2]›'],
    ['a\n\n\tb[1]\n\nc[2]', 'a\n\n\tb[1]\n\nc‹2:[2]›'],
    ['a\n    b[1]', 'a\n    b‹1:[1]›'],
    ['1. a\n\n    b [1]\n    - c [2]', '1. a\n\n    b ‹1:[1]›\n    - c ‹2:[2]›'],
    ['- a\n\nb\n\n    c[1]', '- a\n\nb\n\n    c[1]'],
    ['```\na\n```\n    b[1]', '```\na\n```\n    b[1]'],
    ['- a\n\n      b[1]\n\n  c[2]', '- a\n\n      b[1]\n\n  c‹2:[2]›'],
    ['-     a[1]\n- b[2]', '-     a[1]\n- b‹2:[2]›'],
    ['    - a[1]\n    > b[1]', '    - a[1]\n    > b[1]'],
    ['> a\n>\n>     b[1]', '> a\n>\n>     b[1]'],
  ],
}

for (const [promise, rows] of Object.entries(table)) {
  test(promise, () => {
    assert.deepEqual(
      rows.map(([written]) => found(written)),
      rows.map(([, expected]) => expected),
    )
  })
}

test('a marker is given as soon as the character behind it is there', () => {
  const reader = citationReader(() => true)
  const said = ['Six [', '1', ']', ' o’clock', ' [2'].map((chunk) => reader.read(chunk))
  assert.deepEqual(said, [
    [{ type: 'text', text: 'Six ' }],
    [],
    [],
    [
      { type: 'citation', numbers: [1], text: '[1]' },
      { type: 'text', text: ' o’clock' },
    ],
    [{ type: 'text', text: ' ' }],
  ])
  assert.deepEqual(reader.end(), [{ type: 'text', text: '[2' }])
})

test('text in front of a marker, and code as long as nothing in it could be a citation, is not held back', () => {
  const reader = citationReader(() => true)
  assert.deepEqual(reader.read('Say `echo hello'), [{ type: 'text', text: 'Say `echo hello' }])
  assert.deepEqual(reader.read(' [1]'), [{ type: 'text', text: ' ' }])
  assert.deepEqual(reader.read('` and'), [{ type: 'text', text: '[1]` and' }])
})

test('code that is longer than the buffer stays code', () => {
  const long = 'x'.repeat(5000)
  assert.equal(found(`\`[1] ${long} [2]\` [3]`), `\`[1] ${long} [2]\` ‹3:[3]›`)
})

test('a number that becomes known while the answer streams is cited from then on', () => {
  const known = new Set<number>()
  const reader = citationReader((number) => known.has(number))
  const before = reader.read('[1] ')
  known.add(1)
  assert.deepEqual(citedNumbers([...before, ...reader.read('[1]'), ...reader.end()]), [1])
})

test('cited numbers are listed once each, in the order of their first use', () => {
  const pieces = citedText('a [3] b [1, 3] c [2024] `[2]`', (number) => number < 10)
  assert.deepEqual(citedNumbers(pieces), [3, 1])
})

test('the instructions about citing are short and show a form that the parser finds', () => {
  for (const words of [citationGuidance, citationReminder]) {
    assert.ok(words.length < 600)
    assert.deepEqual(citedNumbers(citedText(words, () => true))[0], 1)
  }
})

function found(text: string): string {
  return citedText(text, (number) => number < 10)
    .map((piece) => (piece.type === 'text' ? piece.text : `‹${piece.numbers.join(',')}:${piece.text}›`))
    .join('')
}
