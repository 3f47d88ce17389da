import assert from 'node:assert/strict'
import test from 'node:test'
import { plainText, messageParts } from './formatted-text.ts'
import { formatMarkdown } from './markdown.ts'

function texts(text: string, limit: number): readonly string[] {
  return messageParts(plainText(text), limit).map((part) => part.text)
}

test('a text within the limit is one part, an empty one is none', () => {
  assert.deepEqual(messageParts(plainText(' short '), 10), [plainText('short')])
  assert.deepEqual(messageParts(plainText(''), 10), [])
  assert.deepEqual(messageParts(plainText(' \n\u200b\n '), 10), [])
  assert.deepEqual(
    messageParts(plainText('x'.repeat(4097))).map(({ text }) => text.length),
    [4096, 1],
  )
})

test('it is cut between paragraphs first, then lines, sentences, words, and characters at last', () => {
  assert.deepEqual(texts('One two.\nThree.\n\nFour five six.', 24), ['One two.\nThree.', 'Four five six.'])
  assert.deepEqual(texts('One two.\nThree. Four five six.', 24), ['One two.', 'Three. Four five six.'])
  assert.deepEqual(texts('One two. Three. Four five six.', 24), ['One two. Three.', 'Four five six.'])
  assert.deepEqual(texts('一二三。四五六。七八九', 9), ['一二三。四五六。', '七八九'])
  assert.deepEqual(texts('One two three four five six', 24), ['One two three four five', 'six'])
  assert.deepEqual(texts('Onetwothreefourfivesix', 10), ['Onetwothre', 'efourfives', 'ix'])
})

test('a border that leaves most of the room unused is passed over', () => {
  assert.deepEqual(texts('A.\n\nOne two three four five six', 24), ['A.\n\nOne two three four', 'five six'])
})

test('no character is cut', () => {
  assert.deepEqual(texts('👍👍👍', 3), ['👍', '👍', '👍'])
  assert.deepEqual(texts('ab👩‍🚀cd', 5), ['ab', '👩‍🚀', 'cd'])
  assert.deepEqual(texts('e\u0301e\u0301e\u0301', 3), ['e\u0301', 'e\u0301', 'e\u0301'])
  assert.deepEqual(texts('👩‍👩‍👧‍👦', 4), ['👩‍', '👩‍', '👧‍', '👦'])
})

test('a code block that is split continues with the same language', () => {
  const code = ['if (a) {', '  b()', '', '  c()', '}'].join('\n')
  const parts = messageParts(formatMarkdown(`Look:\n\n\`\`\`ts\n${code}\n\`\`\`\nDone.`), 22)
  assert.deepEqual(parts, [
    { text: 'Look:\n\nif (a) {\n  b()', entities: [{ type: 'pre', language: 'ts', offset: 7, length: 14 }] },
    { text: '  c()\n}\n\nDone.', entities: [{ type: 'pre', language: 'ts', offset: 0, length: 7 }] },
  ])
})

test('a block of code is kept whole where it can be', () => {
  const parts = messageParts(formatMarkdown('One two three.\n\n```\na\n\nb\n```'), 18)
  assert.deepEqual(parts, [
    { text: 'One two three.', entities: [] },
    { text: 'a\n\nb', entities: [{ type: 'pre', offset: 0, length: 4 }] },
  ])
})

test('formats are cut with the words that they belong to', () => {
  assert.deepEqual(messageParts(formatMarkdown('**one two [three four](https://example.org)** five'), 14), [
    {
      text: 'one two three',
      entities: [
        { type: 'bold', offset: 0, length: 13 },
        { type: 'text_link', url: 'https://example.org/', offset: 8, length: 5 },
      ],
    },
    {
      text: 'four five',
      entities: [
        { type: 'bold', offset: 0, length: 4 },
        { type: 'text_link', url: 'https://example.org/', offset: 0, length: 4 },
      ],
    },
  ])
})

test('a limit that holds no character is refused', () => {
  assert.throws(() => messageParts(plainText('a'), 1), RangeError)
})
